//! Base URLs with the wrong scheme.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn https_at_a_port_with_plain_http_is_named_by_each_program() {
    let node = node(None).await;
    let https = node.base_url().replace("http://", "https://");
    let mut nodectl = Command::new(&*NODECTL);
    nodectl.args(["block", "1", "--network", "devnet", "--base-url", &https]);
    for command in [&mut run(&https), &mut nodectl] {
        // The certificate is not used. A machine without any could not begin to use TLS.
        let certificates = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../crates/client/tests/scripted/tls/localhost.pem"
        );
        let (_, out, error) = ran(command.env("SSL_CERT_FILE", certificates));
        let shown = out + &error;
        assert!(shown.contains("does not use TLS on this port"), "{shown}");
        assert!(!shown.contains("InvalidContentType"), "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn certificates_are_not_read_from_a_device() {
    let url = "https://127.0.0.1:1";
    let mut nodectl = Command::new(&*NODECTL);
    nodectl.args(["block", "1", "--network", "devnet", "--base-url", url]);
    for (command, expected) in [(&mut run(url), 4), (&mut nodectl, 2)] {
        let (status, out, error) = ran(command.env("SSL_CERT_FILE", "/dev/zero"));
        let shown = out + &error;
        assert_eq!(status, expected, "{shown}");
        let reason = "the file that SSL_CERT_FILE names is not a regular file";
        assert!(shown.contains(reason), "{shown}");
    }
}
