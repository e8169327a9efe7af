use nodeproof_client::Client;
use nodeproof_devnode::Config;

#[tokio::test]
async fn reads_a_claim() -> Result<(), Box<dyn std::error::Error>> {
    let node = nodeproof_devnode::spawn(Config::for_tests()).await?;
    let client = Client::new(node.base_url())?;
    let (contract, asset) = (node.contract_address(), "warehouse-receipt-0001");
    let record = client.verification(contract, asset).await?;
    assert_eq!(record.ok_or("no record")?.remarks, "Weighed and sealed");
    Ok(())
}
