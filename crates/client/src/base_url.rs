//! The address of a node.

use std::{fmt, net::IpAddr, str::FromStr};

use nodeproof_primitives::{Network, escape::escaped_up_to};
use url::{Host, Url};

use crate::InputError;

/// The address of a node: scheme, host, port and, behind a proxy, a path prefix.
///
/// It is displayed without a trailing slash: `http://localhost:8420` or
/// `https://example.org/node-a`. It is parsed with or without one. Credentials, a query and a
/// fragment are rejected.
///
/// Source: NODE-3 of the specification.
///
/// ```
/// use nodeproof_client::BaseUrl;
/// use nodeproof_primitives::Network;
///
/// let url: BaseUrl = "http://localhost:8420/".parse()?;
/// assert_eq!(url.to_string(), "http://localhost:8420");
/// assert_eq!(url.as_ref().host_str(), Some("localhost"));
/// assert_eq!(url.port(), 8420);
/// assert!(url.has_port() && url.is_loopback());
///
/// let url = BaseUrl::for_network("::1", Network::Devnet)?;
/// assert_eq!(url.as_str(), "http://[::1]:8420");
///
/// let url: BaseUrl = "http://node.example.org".parse()?;
/// assert_eq!(url.of_network(Network::Testnet)?.to_string(), "http://node.example.org:8421");
///
/// let error = "localhost:8420".parse::<BaseUrl>().unwrap_err();
/// assert!(error.to_string().contains("http://localhost:8420"));
/// # Ok::<(), nodeproof_client::InputError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BaseUrl {
    url: Url,
    /// `url` without the trailing slash. This text is displayed.
    text: String,
    /// Whether a port was given. It distinguishes `http://host:80` from `http://host`.
    port_written: bool,
}

impl BaseUrl {
    /// Creates the address of a node on `host` that belongs to `network`, with plain HTTP.
    ///
    /// `host` is a name or an IP address. An IPv6 address may have brackets.
    ///
    /// # Errors
    /// If `host` is not only a host name or an IP address.
    pub fn for_network(host: &str, network: Network) -> Result<Self, InputError> {
        let refused = || {
            InputError::new(format!(
                "{:?} is not a host alone: give a name or an address without scheme, port and path, or \
                 use a base URL",
                shown(host)
            ))
        };
        let bare = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let written = match bare.unwrap_or(host).parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => format!("[{address}]"),
            Ok(IpAddr::V4(address)) if bare.is_none() => address.to_string(),
            Ok(IpAddr::V4(_)) => return Err(refused()),
            Err(_) => {
                Host::parse(host).map_err(|_| refused())?;
                host.to_owned()
            }
        };
        format!("http://{written}:{}", network.port()).parse()
    }

    /// Returns the same address as that of a node of this network, with the network's port if no port
    /// was given. In `http://host:80` a port was given, even though it is the default of HTTP.
    ///
    /// ```
    /// use nodeproof_client::BaseUrl;
    /// use nodeproof_primitives::Network;
    ///
    /// let url: BaseUrl = "http://node.example.org:8421".parse()?;
    /// assert!(url.clone().of_network(Network::Testnet).is_ok());
    /// let error = url.of_network(Network::Devnet).unwrap_err();
    /// assert!(error.to_string().starts_with("port 8421 is where nodes of testnet listen"));
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    ///
    /// # Errors
    /// If its port is that of another network.
    pub fn of_network(mut self, network: Network) -> Result<Self, InputError> {
        // This fails only for URLs without a host, and this URL has one.
        if !self.port_written && self.url.set_port(Some(network.port())).is_ok() {
            self.port_written = true;
            self.text = without_slash(&self.url);
        }
        let url = self;
        match Network::from_port(url.port()) {
            Some(of_port) if of_port != network => Err(InputError::new(format!(
                "port {} is where nodes of {of_port} listen, but the network given is {network} (port {}): \
                 give --network {of_port}, or the URL of a node of {network}",
                url.port(),
                network.port()
            ))),
            _ => Ok(url),
        }
    }

    /// Returns the URL of a path below this address. `path` may begin with a slash.
    ///
    /// ```
    /// let url: nodeproof_client::BaseUrl = "https://example.org/node-a/".parse()?;
    /// assert_eq!(url.join("/get-block").as_str(), "https://example.org/node-a/get-block");
    /// # Ok::<(), nodeproof_client::InputError>(())
    /// ```
    #[must_use]
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let prefix = self.url.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/{}", path.trim_start_matches('/')));
        url
    }

    /// Returns the address as text, without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the port to connect to: the given port, or the default of the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Returns whether a port was given, or set from a network.
    #[must_use]
    pub fn has_port(&self) -> bool {
        self.port_written
    }

    /// Returns whether the address uses TLS.
    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns whether the host is this machine by its name or address: `localhost`, `127.0.0.1`,
    /// `[::1]`. A connection to `0.0.0.0` or `[::]` also leads to this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(_)) => self
                .host_name()
                .is_some_and(|name| name == "localhost" || name.ends_with(".localhost")),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => {
                let address = address.to_canonical();
                address.is_loopback() || address.is_unspecified()
            }
            None => false,
        }
    }

    /// Whether the host is this machine, by a loopback address or by its own name. It is never requested through a proxy.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        self.is_loopback() || self.host_name().is_some_and(is_own_name)
    }

    /// Returns the host's name without the dot of the root, unless the host is an IP address.
    pub(crate) fn host_name(&self) -> Option<&str> {
        self.url.domain().map(|name| name.trim_end_matches('.'))
    }
}

/// The address as a URL, for its parts.
impl AsRef<Url> for BaseUrl {
    fn as_ref(&self) -> &Url {
        &self.url
    }
}

impl FromStr for BaseUrl {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |reason: &str| InputError::new(format!("{:?} {reason}", shown(text.trim())));
        let text = text.trim();
        if text.is_empty() {
            let reason = "the base URL is empty: it has the form http://localhost:8420";
            return Err(InputError::new(reason));
        }
        // The URL parser drops line ends, which could split the parts that are checked here.
        if text.contains(char::is_control) {
            return Err(wrong(
                "has a control character in it, such as a line end: leave it out",
            ));
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(without_scheme(text));
        };
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(other_scheme(scheme));
        }
        let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(credentials());
        }
        let no_host =
            || wrong("has no host: write http://host:port, such as http://localhost:8420");
        // The URL parser would take `path` in `http:///path` for the host.
        if authority.is_empty() {
            return Err(no_host());
        }
        let url = Url::parse(text).map_err(|reason| match reason {
            url::ParseError::EmptyHost => no_host(),
            reason => wrong(&format!("is not a URL: {reason}")),
        })?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(credentials());
        }
        if url.port() == Some(0) {
            return Err(wrong(
                "has port 0, which no server can use: write the node's port, or none",
            ));
        }
        for (part, mark, is_there) in [
            ("query", '?', url.query().is_some()),
            ("fragment", '#', url.fragment().is_some()),
        ] {
            if is_there {
                return Err(InputError::new(format!(
                    "the base URL has a {part} ({mark}…): each call adds its own, so leave it out"
                )));
            }
        }
        let after_host = authority
            .rsplit_once(']')
            .map_or(authority, |(_, rest)| rest);
        let port_written = after_host
            .rsplit_once(':')
            .is_some_and(|(_, port)| !port.is_empty());
        Ok(Self {
            text: without_slash(&url),
            url,
            port_written,
        })
    }
}

impl TryFrom<&str> for BaseUrl {
    type Error = InputError;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = InputError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl TryFrom<&String> for BaseUrl {
    type Error = InputError;

    fn try_from(text: &String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<&Self> for BaseUrl {
    fn from(url: &Self) -> Self {
        url.clone()
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({})", self.text)
    }
}

/// Whether a host name is this machine's, from a file on Linux, and from a variable on Windows.
fn is_own_name(host: &str) -> bool {
    let own = if cfg!(target_os = "linux") {
        std::fs::read_to_string("/proc/sys/kernel/hostname").ok()
    } else {
        std::env::var("COMPUTERNAME").ok()
    };
    own.is_some_and(|own| own.trim().eq_ignore_ascii_case(host))
}

fn without_slash(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// Returns the text for a message: shortened, escaped, and without credentials before an `@`.
fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 200;
    let harmless = match text.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            let mark = if scheme.is_empty() { "" } else { "://" };
            format!("{scheme}{mark}…@{host}")
        }
        None => text.to_owned(),
    };
    escaped_up_to(&harmless, MAX_SHOWN)
}

fn credentials() -> InputError {
    InputError::new(
        "the base URL has a user name or a password in it, which messages and logs could show: leave out \
         everything before the @",
    )
}

fn other_scheme(scheme: &str) -> InputError {
    InputError::new(format!(
        "a node is reached by http or https, and not by {:?}",
        shown(scheme)
    ))
}

fn without_scheme(text: &str) -> InputError {
    if text.contains('@') {
        return credentials();
    }
    // `ftp:host` names another scheme; `localhost:8420` and `::1` do not name one.
    let scheme = text.split_once(':').filter(|(scheme, rest)| {
        let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        named && !rest.starts_with(|c: char| c.is_ascii_digit()) && !scheme.contains('.')
    });
    let suggestion = match scheme {
        Some((scheme, rest))
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            let rest = rest.trim_start_matches('/');
            format!("{}://{rest}", scheme.to_ascii_lowercase())
        }
        Some((scheme, _)) if scheme != "localhost" => return other_scheme(scheme),
        _ => {
            let host = text.trim_start_matches('/');
            match host.parse::<std::net::Ipv6Addr>() {
                Ok(address) => format!("http://[{address}]"),
                Err(_) => format!("http://{host}"),
            }
        }
    };
    InputError::new(format!(
        "{:?} has no scheme: write {}",
        shown(text),
        shown(&suggestion)
    ))
}

#[cfg(test)]
mod tests;
