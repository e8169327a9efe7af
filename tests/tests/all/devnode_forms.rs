//! The client reads all forms of a local node's responses.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use nodeproof_client::{
    AddVerification, Client, Clock, ContractCall, Fee, SubmitPolicy, from_json,
};
use nodeproof_devnode::{BlockTime, Config, Handle, InjectedFault};

const ROWS: Option<InjectedFault> = Some(InjectedFault::ObservedForms);

async fn start(forms: Option<InjectedFault>) -> Handle {
    let mut config = Config::for_tests().with_block_time(BlockTime::OnSubmission);
    config.fault = forms;
    nodeproof_devnode::spawn(config).await.unwrap()
}

#[tokio::test]
async fn the_client_reads_every_form() {
    for forms in [None, ROWS, Some(InjectedFault::TextForms)] {
        let node = start(forms).await;
        let client = Client::new(node.base_url()).unwrap();
        let (contract, verifier) = (node.contract_address(), node.wallet("alice").unwrap());

        let claim = AddVerification {
            doc_hash_list: vec!["ab".repeat(32)],
            remarks: "na\u{ef}ve \"quoted\"".to_owned(),
            ..AddVerification::new("lot-7", verifier.address(), 99)
        };
        let call = ContractCall::of(contract, &claim).unwrap();
        let call = call.signers([claim.verifier_address]);
        let fee = Fee::new(1_000_000.into(), node.native_token()).unwrap();
        let checked = client.build_call(&call, &fee, Clock::Local).await.unwrap();
        let signed = checked.sign(&[verifier.keys()]).await.unwrap();
        let submitted = client.submit(&signed, &SubmitPolicy::ONCE).await;
        assert!(submitted.is_ok(), "{forms:?}: {submitted:?}");

        let record = client.verification(contract, "lot-7").await.unwrap();
        let record = record.unwrap();
        assert_eq!(record.remarks, "na\u{ef}ve \"quoted\"", "{forms:?}");
        assert_eq!(record.doc_hash_list, ["ab".repeat(32)]);
        assert!(
            client
                .verification(contract, "none")
                .await
                .unwrap()
                .is_none()
        );

        let text = body_of(&node, "/get-block?block_index=13").await;
        let block: nodeproof_client::Block = from_json(text.as_bytes()).unwrap();
        assert_eq!(block.index, 13, "{forms:?}");
        assert_eq!(block.committee.len(), 3, "{forms:?}");
        assert_eq!(block.text.is_none(), forms == ROWS);
        if forms != ROWS {
            let stored = block.transactions().unwrap()[0].signed().unwrap();
            let code = stored.transaction().unwrap().trans_code;
            let sent = signed.transaction().unwrap().trans_code;
            assert_eq!(code, sent, "{forms:?}");
            assert_eq!(block.receipts().unwrap().len(), 3, "{forms:?}");
        }
    }
}

async fn body_of(node: &Handle, path: &str) -> String {
    let url = format!("{}{path}", node.base_url());
    let http = nodeproof_client::transport::http_client(
        &node.base_url().parse().unwrap(),
        &nodeproof_client::transport::TransportOptions::default(),
    );
    let response = http.unwrap().get(url).send().await.unwrap();
    response.text().await.unwrap()
}
