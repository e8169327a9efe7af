use nodeproof_primitives::Network;

use super::BaseUrl;

fn base(text: &str) -> BaseUrl {
    text.parse().unwrap()
}

fn refusal(text: &str) -> String {
    text.parse::<BaseUrl>().unwrap_err().to_string()
}

#[test]
fn a_trailing_slash_and_a_prefix_make_no_difference_to_the_calls() {
    for (given, written) in [
        ("http://localhost:8420", "http://localhost:8420"),
        ("http://localhost:8420//", "http://localhost:8420"),
        ("HTTPS://Example.ORG/a/b/", "https://example.org/a/b"),
        ("http://[::1]:8421", "http://[::1]:8421"),
        (" http://10.0.0.1 ", "http://10.0.0.1"),
    ] {
        let url = base(given);
        assert_eq!(url.as_str(), written, "{given}");
        let call = format!("{written}/get-block");
        assert_eq!(url.join("/get-block").as_str(), call, "{given}");
        assert_eq!(url.join("get-block").as_str(), call, "{given}");
    }
}

#[test]
fn says_what_to_write_where_the_scheme_is_missing() {
    for (given, suggestion) in [
        ("localhost:8420", "http://localhost:8420"),
        (
            "node.example.org:8456/prefix",
            "http://node.example.org:8456/prefix",
        ),
        ("//localhost:8420", "http://localhost:8420"),
        ("[::1]:8420", "http://[::1]:8420"),
        ("::1", "http://[::1]"),
        ("http:localhost:8420", "http://localhost:8420"),
        ("https:/example.org", "https://example.org"),
    ] {
        let message = refusal(given);
        assert!(
            message.ends_with(&format!("write {suggestion}")),
            "{given}: {message}"
        );
    }
}

#[test]
fn rejects_what_is_no_address_of_a_node() {
    assert_eq!(
        refusal("  "),
        "the base URL is empty: it has the form http://localhost:8420"
    );
    assert!(refusal("ftp://localhost").contains("\"ftp\""));
    assert!(refusal("file:///etc/passwd").contains("\"file\""));
    assert!(refusal("mailto:someone").contains("\"mailto\""));
    assert!(refusal("http://").contains("no host"));
    assert!(refusal("http:///get-block").contains("no host"));
    assert!(refusal("http://localhost:99999").contains("port"));
    assert!(refusal("http://localhost:0").contains("port 0, which no server can use"));
    assert!(refusal("http://local host").contains("not a URL"));
    assert!(refusal("http://localhost:8420?x=1").contains("query"));
    assert!(refusal("http://localhost:8420/#top").contains("fragment"));
}

#[test]
fn never_shows_credentials() {
    for given in [
        "http://user:secret@localhost:8420",
        "user:secret@localhost:8420",
        "ftp://user:secret@localhost",
        "http://user:secret@",
        "https://\n/user:secret@localhost",
        "https://///user:secret@localhost",
        "http://\t@user:secret@localhost",
    ] {
        let error = given.parse::<BaseUrl>().unwrap_err();
        assert!(
            !format!("{error} {error:?}").contains("secret"),
            "{given}: {error:?}"
        );
    }
}

#[test]
fn shows_nothing_that_a_terminal_acts_on() {
    let message = refusal("loc\u{1b}[31malhost\u{202e}");
    assert!(
        !message.contains('\u{1b}') && !message.contains('\u{202e}'),
        "{message:?}"
    );
}

#[test]
fn a_networks_port_is_filled_in_only_where_none_was_written() {
    let filled = |text: &str| {
        let url = base(text).of_network(Network::Mainnet);
        url.unwrap().to_string()
    };
    assert_eq!(filled("http://host"), "http://host:8456");
    assert_eq!(filled("https://host/prefix/"), "https://host:8456/prefix");
    assert_eq!(filled("http://[::1]"), "http://[::1]:8456");
    assert_eq!(filled("http://host:80"), "http://host");
    assert!(
        base("http://host:8421")
            .of_network(Network::Mainnet)
            .is_err()
    );
    assert_eq!(base("http://host:80").port(), 80);
}

#[test]
fn a_host_and_a_network_make_an_address() {
    let made = |host: &str| BaseUrl::for_network(host, Network::Devnet).map(|url| url.to_string());
    assert_eq!(made("localhost").unwrap(), "http://localhost:8420");
    assert_eq!(made("::1").unwrap(), "http://[::1]:8420");
    assert_eq!(made("[::1]").unwrap(), "http://[::1]:8420");
    for host in [
        "",
        "localhost:1",
        "http://localhost",
        "a/b",
        "user@host",
        "a b",
        "[127.0.0.1]",
    ] {
        assert!(made(host).is_err(), "{host:?}");
    }
}

#[test]
fn knows_this_machine() {
    for text in [
        "http://localhost",
        "http://a.localhost",
        "http://127.9.9.9",
        "http://[::1]:1",
        "http://[::ffff:127.0.0.1]",
        "http://0.0.0.0",
        "http://[::]",
    ] {
        assert!(base(text).is_loopback(), "{text}");
    }
    assert!(!base("http://localhost.example.org").is_loopback());
    assert!(!base("http://10.0.0.1").is_loopback());
}
