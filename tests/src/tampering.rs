//! Ways to build a transaction that was not requested.

/// Texts of a built claim with the outcome 1 and without a description, and their replacements. Each occurs
/// exactly once.
pub const MANIPULATIONS: &[(&str, &str)] = &[
    (r#""type":3"#, r#""type":5"#),
    (r#""type":3"#, r#""type":3.0"#),
    (r#""type":3"#, r#""type":"3""#),
    (r#""type":3"#, r#""type":3,"pay_to":"0xb0""#),
    (r#""fee":0.0"#, r#""fee":0.0,"Fee":7000000"#),
    (r#""valid":1"#, r#""valid":0"#),
    (r#""valid":1"#, r#""valid":true"#),
    (r#""is_child_txn":false"#, r#""is_child_txn":true"#),
    (r#""descr":"""#, r#""descr":null"#),
    (
        r#""function":"add_verification""#,
        r#""function":"transfer""#,
    ),
    (
        r#""function":"add_verification""#,
        r#""function":"add_verification ""#,
    ),
    (
        r#""function":"add_verification""#,
        r#""function":["add_verification"]"#,
    ),
    (r#""outcome":1"#, r#""outcome":2"#),
    (r#""outcome":1"#, r#""outcome":1.0"#),
    (r#""outcome":1"#, r#""outcome":true"#),
    (r#""outcome":1"#, r#""outcome":1,"more":1"#),
    (
        r#""signers":["#,
        r#""signers":["0x00000000000000000000000000000000000000b0","#,
    ),
    (
        r#""signatures":[]"#,
        r#""signatures":[{"wallet_address":"0xb0","msgsign":"00"}]"#,
    ),
    (r#""transaction":{"#, r#""transaction":{"transaction":{},"#),
];
