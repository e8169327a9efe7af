//! The interactive listing.

use serde_json::Value;

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
async fn the_description_is_served_with_examples_of_this_chain_and_as_json() {
    let peer = Peer::new().await;
    let yaml = peer
        .http
        .get(peer.url("/openapi.yaml"))
        .send()
        .await
        .unwrap();
    let yaml: Value = yaml_serde::from_str(&yaml.text().await.unwrap()).unwrap();
    let paths = yaml["paths"].as_object().unwrap();
    let mut sent = 0;
    // These are the requests that the page sends unless its reader changes them.
    for (path, item) in paths.iter().filter(|(path, _)| *path != "/docs") {
        let parameters = item["get"]["parameters"].as_array().into_iter().flatten();
        let pairs = parameters.map(|parameter| {
            let text = parameter["example"].as_str().map(ToOwned::to_owned);
            let value = text.unwrap_or_else(|| parameter["example"].to_string());
            format!("{}={value}", parameter["name"].as_str().unwrap())
        });
        let query = pairs.collect::<Vec<_>>().join("&");
        if !query.is_empty() {
            let body = peer.get(&format!("{path}?{query}")).await.json();
            assert!(
                !body.to_string().contains("null") && body["balance"] != 0,
                "{path}?{query}: {body}"
            );
            sent += 1;
        }
    }
    assert_eq!(sent, 4);
    let json = peer.get("/openapi.json").await.json();
    assert!(json["paths"]["/get-block"]["get"].is_object());
}
