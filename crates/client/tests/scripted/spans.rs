//! The traces of a request.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use nodeproof_client::{Client, ClientOptions, WalletAddress, transport::RetryPolicy};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

use crate::server::{Reply, Server};

/// The fields of a span or an event, as name and text, in the order in which they were recorded.
type Fields = Vec<(String, String)>;

/// Records every span and event of this crate.
#[derive(Clone, Default)]
pub(crate) struct Trace {
    spans: Arc<Mutex<Vec<Fields>>>,
    events: Arc<Mutex<Vec<Fields>>>,
    next: Arc<AtomicU64>,
}

struct Collected<'a>(&'a mut Fields);

impl Visit for Collected<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.push((field.to_string(), format!("{value:?}")));
    }
}

impl Subscriber for Trace {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("nodeproof_client")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Vec::new();
        attributes.record(&mut Collected(&mut fields));
        self.spans.lock().unwrap().push(fields);
        Id::from_u64(self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.spans.lock().unwrap();
        let at = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Collected(&mut spans[at]));
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Vec::new();
        event.record(&mut Collected(&mut fields));
        self.events.lock().unwrap().push(fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Trace {
    /// Returns everything that was recorded, as one text.
    pub(crate) fn text(&self) -> String {
        format!(
            "{:?} {:?}",
            self.spans.lock().unwrap(),
            self.events.lock().unwrap()
        )
    }
}

fn expected(fields: &[(&str, &str)]) -> Fields {
    let owned = fields
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    owned.collect()
}

#[tokio::test]
async fn each_request_is_one_span_with_its_status_and_retries() {
    let trace = Trace::default();
    let _guard = tracing::subscriber::set_default(trace.clone());
    let wallet = WalletAddress::from_bytes([0xab; 20]);
    let quick = RetryPolicy {
        first_pause: std::time::Duration::ZERO,
        longest_pause: std::time::Duration::ZERO,
        ..RetryPolicy::default()
    };

    let busy = Reply::status(503, "{}");
    let server = Server::start(vec![
        busy.clone(),
        busy,
        Reply::json(r#"{"balance":1}"#),
        Reply::status(500, r#"{"detail":"broken"}"#),
    ])
    .await;
    let base = format!("{}/with/a-key-inside", server.base);
    let client = Client::with_options(
        base.as_str(),
        ClientOptions {
            retry: quick.clone(),
            ..ClientOptions::default()
        },
    )
    .unwrap();
    client.token_balance("TKN", wallet).await.unwrap();
    client.docs().await.unwrap_err();
    let nobody = Client::with_options(
        "http://127.0.0.1:1",
        ClientOptions {
            retry: quick,
            ..ClientOptions::default()
        },
    )
    .unwrap();
    nobody.docs().await.unwrap_err();

    let spans = trace.spans.lock().unwrap().clone();
    let of = |operation, path| vec![("operation", operation), ("method", "GET"), ("path", path)];
    let mut first = of("\"get_balances\"", "\"/get-balances\"");
    first.extend([("retries", "2"), ("status", "200")]);
    let mut second = of("\"docs\"", "\"/docs\"");
    second.extend([("retries", "0"), ("status", "500")]);
    let mut third = of("\"docs\"", "\"/docs\"");
    third.push(("retries", "2"));
    assert_eq!(
        spans,
        [expected(&first), expected(&second), expected(&third)]
    );
    let text = trace.text();
    for private in [&wallet.to_string(), "a-key-inside", "TKN"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    assert!(text.contains("broken"), "{text}");
}
