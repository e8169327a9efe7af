//! The table of tamperings.

/// A change to the honest response, and the kind and member of the expected error.
pub(super) struct Tampering {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) kind: &'static str,
    pub(super) member: &'static str,
}

macro_rules! tamperings {
    ($($from:literal => $to:literal, $kind:ident $member:literal;)*) => {
        &[$(Tampering {
            from: $from,
            to: $to,
            kind: stringify!($kind),
            member: $member,
        }),*]
    };
}

/// Where a member occurs twice, the second value is the correct one.
pub(super) const TAMPERINGS: &[Tampering] = tamperings! {
    // Changed
    r#""type":3"# => r#""type":4"#, changed "transaction.type";
    r#""type":3"# => r#""type":3.0"#, changed "transaction.type";
    r#""type":3"# => r#""type":"3""#, changed "transaction.type";
    r#""valid":1"# => r#""valid":0"#, changed "transaction.valid";
    r#""valid":1"# => r#""valid":true"#, changed "transaction.valid";
    r#""descr":"""# => r#""descr":null"#, malformed "transaction.descr";
    r#"txn":false"# => r#"txn":true"#, changed "transaction.is_child_txn";
    r#"txn":false"# => r#"txn":0"#, changed "transaction.is_child_txn";
    "1767225593000" => "-1", malformed "transaction.timestamp";
    "1767225593000" => "1.5", malformed "transaction.timestamp";
    "1767225593000" => "1e3", malformed "transaction.timestamp";
    "1767225593000" => "9223372036854775808", malformed "transaction.timestamp";
    "1767225593000" => "null", malformed "transaction.timestamp";
    "04087cb4" => "04087cb", malformed "transaction.trans_code";
    "04087cb4" => "04087cbg", malformed "transaction.trans_code";
    "04087cb4" => "0x087cb4", malformed "transaction.trans_code";
    r#""currency":"NWRL""# => r#""currency":7"#, malformed "transaction.currency";
    r#""currency":"NWRL""# => r#""currency":{"a":1}"#, malformed "transaction.currency";
    r#""fee":0.0"# => r#""fee":"0.0""#, malformed "transaction.fee";
    r#""fee":0.0"# => r#""fee":null"#, malformed "transaction.fee";
    "51dacc\"" => "51dacd\"", changed "transaction.specific_data.address";
    "ctcc8321" => "ctCC8321", changed "transaction.specific_data.address";
    r#":"add_verification"# => r#":"Add_verification"#, changed "transaction.specific_data.function";
    r#":"add_verification"# => r#":"add_verification "#, changed "transaction.specific_data.function";
    r#":"add_verification"# => ":\"add_verif\u{456}cation", changed "transaction.specific_data.function";
    "6810c3\"" => "6810c4\"", changed "transaction.specific_data.signers[0]";
    "7d470e\"" => "7D470E\"", changed "transaction.specific_data.signers[1]";
    r#""n":9007199254740993"# => r#""n":9007199254740992"#, changed "transaction.specific_data.params.n";
    r#""n":9007199254740993"# => r#""n":9007199254740994"#, changed "transaction.specific_data.params.n";
    r#""n":9007199254740993"# => r#""n":9007199254740993.0"#, changed "transaction.specific_data.params.n";
    r#""n":9007199254740993"# => r#""n":"9007199254740993""#, changed "transaction.specific_data.params.n";
    r#""one":1"# => r#""one":1.0"#, changed "transaction.specific_data.params.one";
    r#""one":1"# => r#""one":true"#, changed "transaction.specific_data.params.one";
    r#""one":1"# => r#""one":-1"#, changed "transaction.specific_data.params.one";
    r#""half":0.5"# => r#""half":0.50000000000000012"#, changed "transaction.specific_data.params.half";
    r#""big":1e2"# => r#""big":100"#, changed "transaction.specific_data.params.big";
    r#""none":null"# => r#""none":"""#, changed "transaction.specific_data.params.none";
    r#""none":null"# => r#""none":false"#, changed "transaction.specific_data.params.none";
    r#""yes":true"# => r#""yes":false"#, changed "transaction.specific_data.params.yes";
    r#""yes":true"# => r#""yes":"true""#, changed "transaction.specific_data.params.yes";
    "token é" => "token e", changed "transaction.specific_data.params.asset_id";
    "token é" => "Token é", changed "transaction.specific_data.params.asset_id";
    "token é" => "token e\u{301}", changed "transaction.specific_data.params.asset_id";
    "token é" => "t\u{43e}ken é", changed "transaction.specific_data.params.asset_id";
    "token é" => "token é\u{200b}", changed "transaction.specific_data.params.asset_id";
    "token é" => "token \\ud800", changed "transaction.specific_data.params.asset_id";
    r#"["a","b"]"# => r#"["b","a"]"#, changed "transaction.specific_data.params.list[0]";
    r#"["a","b"]"# => r#"["a",["b"]]"#, changed "transaction.specific_data.params.list[1]";
    r#"["a","b"]"# => r#""a""#, changed "transaction.specific_data.params.list";
    r#"["a","b"]"# => r#"{"0":"a","1":"b"}"#, changed "transaction.specific_data.params.list";
    r#""y":2"# => r#""y":3"#, changed "transaction.specific_data.params.in.x.deep[0].y";
    // Added
    r#""type":3"# => r#""type":3,"memo":"x""#, added "transaction.memo";
    r#""type":3"# => r#""type":3,"typ\u0435":3"#, added "transaction.typ\\u0435";
    r#""type":3"# => r#""type":3,"Fee":1"#, added "transaction.Fee";
    r#""function":"# => r#""gas":1,"function":"#, added "transaction.specific_data.gas";
    r#""yes":true"# => r#""yes":true,"amount_to_send":5"#, added "transaction.specific_data.params.amount_to_send";
    r#""y":2"# => r#""y":2,"z":null"#, added "transaction.specific_data.params.in.x.deep[0].z";
    r#"["a","b"]"# => r#"["a","b","c"]"#, added "transaction.specific_data.params.list[2]";
    r#"7d470e"]"# => r#"7d470e","0xc8111e8386bed918b8068b3f719c53a2e76810c3"]"#, added "transaction.specific_data.signers[2]";
    // Left out
    r#""timestamp":1767225593000,"# => "", missing "transaction.timestamp";
    r#""descr":"","# => "", missing "transaction.descr";
    r#""valid":1,"# => "", missing "transaction.valid";
    r#""currency":"NWRL","# => "", missing "transaction.currency";
    r#""fee":0.0,"# => "", missing "transaction.fee";
    r#""type":3,"# => "", missing "transaction.type";
    r#""function":"add_verification","# => "", missing "transaction.specific_data.function";
    r#""none":null,"# => "", missing "transaction.specific_data.params.none";
    r#"["a","b"]"# => r#"["a"]"#, missing "transaction.specific_data.params.list[1]";
    r#"["a","b"]"# => "[]", missing "transaction.specific_data.params.list[0]";
    r#""asset_id":"# => r#""asset_\u0456d":"#, missing "transaction.specific_data.params.asset_id";
    r#""asset_id":"# => r#""Asset_id":"#, missing "transaction.specific_data.params.asset_id";
    // Twice, with the correct value second
    r#""type":3"# => r#""type":4,"type":3"#, twice "transaction.type";
    r#""fee":0.0"# => r#""fee":0.0,"fee":9"#, twice "transaction.fee";
    r#""fee":0.0"# => r#""f\u0065e":9,"fee":0.0"#, twice "transaction.fee";
    r#""signatures":[]"# => r#""transaction":{},"signatures":[]"#, twice "transaction";
    r#""signatures":[]"# => r#""signatures":[],"signatures":[]"#, twice "signatures";
    r#""one":1"# => r#""one":2,"one":1"#, twice "transaction.specific_data.params.one";
    r#""y":2"# => r#""y":2,"y":2"#, twice "transaction.specific_data.params.in.x.deep[0].y";
    // Of another kind
    r#"{"y":2}"# => "[2]", changed "transaction.specific_data.params.in.x.deep[0]";
    r#""signatures":[]"# => r#""signatures":null"#, malformed "signatures";
    r#""signatures":[]"# => r#""signatures":{}"#, malformed "signatures";
    r#""signatures":[]"# => r#""signatures":[{}]"#, signed "";
    r#""signatures":[]"# => r#""signatures":[{"wallet_address":"0x1","msgsign":"ab"}]"#, signed "";
};
