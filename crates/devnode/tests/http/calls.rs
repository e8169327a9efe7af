//! `/call-sc`: returns the request's values exactly, and changes nothing.

use serde_json::json;

use crate::peer::Peer;

fn request(params: &str) -> String {
    format!(
        "{{\"sc_address\":\"ct{}\",\"function_called\":\"f\",\"signers\":[],\"params\":{params}}}",
        "ab".repeat(20)
    )
}

#[tokio::test]
async fn every_value_comes_back_exactly_as_it_was_sent() {
    let peer = Peer::new().await;
    for params in [
        "{}",
        r#"{"z":1,"a":18446744073709551617,"m":-0.10,"e":1E400,"s":"é ✓ \u00e9 \ud83d\ude00 😀","q":"\"\\\/\n"}"#,
        r#"{"nested":{"b":[1,[2,{"c":null}]],"a":true},"spaced" : [ 1 , 2 ]}"#,
        &format!(
            "{{\"long\":\"{}\",\"deep\":{}{}}}",
            "x".repeat(100_000),
            "[".repeat(100),
            "]".repeat(100)
        ),
        &format!("{{\"digits\":{}}}", "7".repeat(10_000)),
    ] {
        let response = peer.post("/call-sc", request(params)).await;
        assert_eq!(response.status, 200, "{}", response.text);
        assert!(
            response.text.contains(&format!("\"params\":{params}}}")),
            "{params:.80}"
        );
    }
}

#[tokio::test]
async fn what_is_missing_or_of_another_kind_is_named() {
    let peer = Peer::new().await;
    let right = peer.claim_request(&["alice"], "a");
    for (name, wrong) in [
        ("sc_address", json!(null)),
        ("sc_address", json!(1)),
        (
            "sc_address",
            json!("0x030447bb3f8cd2c001c88cb160464493881e085a"),
        ),
        ("function_called", json!(["f"])),
        (
            "signers",
            json!("0x030447bb3f8cd2c001c88cb160464493881e085a"),
        ),
        (
            "signers",
            json!(["0x030447BB3f8cd2c001c88cb160464493881e085a"]),
        ),
        ("signers", json!([7])),
        ("params", json!([])),
        ("params", json!("{}")),
    ] {
        let mut request = right.clone();
        request[name] = wrong;
        let response = peer.post("/call-sc", request.to_string()).await;
        response.assert_faulted();
        assert_eq!(response.json()["detail"][0]["loc"][1], name);
        request.as_object_mut().unwrap().remove(name);
        let response = peer.post("/call-sc", request.to_string()).await;
        response.assert_faulted();
        assert_eq!(response.json()["detail"][0]["type"], "value_error.missing");
    }
}
