//! The interactive listing.

use crate::peer::Peer;

#[tokio::test]
async fn everything_that_the_page_refers_to_is_there() {
    let peer = Peer::new().await;
    for path in ["/docs", "/docs/"] {
        let at: reqwest::Url = peer.url(path).parse().unwrap();
        let page = peer
            .http
            .get(at.clone())
            .send()
            .await
            .unwrap()
            .text()
            .await
            .unwrap();
        assert!(!page.contains("{{") && !page.contains("http"), "{page}");
        let attribute = |name: &str| {
            let parts: Vec<String> = page
                .split(&format!("{name}=\""))
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap().to_owned())
                .collect();
            parts
        };
        let mut links = attribute("href");
        let base = at.join(&links.remove(0)).unwrap();
        links.extend(attribute("src"));
        let least = if cfg!(feature = "swagger-ui") { 3 } else { 1 };
        assert!(links.len() >= least, "{links:?}");
        for link in links {
            let response = peer
                .http
                .get(base.join(&link).unwrap())
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), 200, "{link} from {path}");
            assert!(response.headers().contains_key("content-type"));
            assert!(!response.bytes().await.unwrap().is_empty());
        }
    }
}

#[tokio::test]
async fn the_description_is_served_as_it_was_written_and_as_json() {
    let peer = Peer::new().await;
    let yaml = peer
        .http
        .get(peer.url("/openapi.yaml"))
        .send()
        .await
        .unwrap();
    let written = nodeproof_openapi::NODE_YAML;
    assert_eq!(yaml.text().await.unwrap(), written);
    let json = peer.get("/openapi.json").await.json();
    assert!(json["paths"]["/get-block"]["get"].is_object());
}
