//! Takes out of the generator's output what each call would pay for and none needs.
//!
//! It works on the output's text, with the spaces that its tokens are written with. Each step says
//! what it looks for, and ends the build where that is no longer there: a newer generator has to be
//! looked at, and must neither be slower nor go round a limit unnoticed.

use super::Failure;

/// All of the steps.
pub(crate) fn rewritten(code: &str) -> Result<String, Failure> {
    let code = without_constructor(code)?;
    let code = without_version_header(&code)?;
    let code = with_routes(&code)?;
    let code = with_one_query(&code)?;
    with_answers_in_memory(&code)
}

/// Takes out `Client::new`, which makes an HTTP client of another policy than ours: it follows
/// redirects, and panics where no TLS provider is installed. `new_with_client` stays.
fn without_constructor(code: &str) -> Result<String, Failure> {
    let (before, rest) = code
        .split_once("# [doc = r\" Create a new client.\"]")
        .ok_or("it has no `new`")?;
    let next = rest
        .find("# [doc = r\" Construct a new client with an existing")
        .ok_or("it has no `new_with_client`")?;
    Ok(format!("{before}{}", rest.split_at(next).1))
}

/// Takes out the header `api-version`, which no node asks for, and with it the headers that are
/// added to each request.
fn without_version_header(code: &str) -> Result<String, Failure> {
    const HEADERS: &str = "let mut header_map = :: reqwest :: header :: HeaderMap :: with_capacity \
                           (1usize) ; header_map . append (:: reqwest :: header :: HeaderName :: \
                           from_static (\"api-version\") , :: reqwest :: header :: HeaderValue :: \
                           from_static (Self :: api_version ()) ,) ;";
    let code = replaced(code, HEADERS, "")?;
    let code = replaced(&code, ". headers (header_map)", "")?;
    if code.contains("header_map") {
        return Err("it has a call with headers of its own".into());
    }
    Ok(code)
}

/// Has the URL of each call parsed when a client is made, and not at each call.
///
/// A list `PATHS` is added, and the client's member `baseurl` becomes the URLs of these.
fn with_routes(code: &str) -> Result<String, Failure> {
    const URL: &str = "let url = format ! (\"{}";
    const END: &str = "\" , self . baseurl ,) ;";
    let mut paths = Vec::new();
    let mut pieces = code.split(URL);
    let mut written = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((path, rest)) = piece.split_once(END).filter(|(path, _)| is_plain(path)) else {
            return Err("it has a call whose URL is not a fixed path".into());
        };
        written.push_str(&format!(
            "let url = self . url_of ({}usize) ? ;",
            paths.len()
        ));
        written.push_str(rest);
        paths.push(format!("{path:?}"));
    }
    let written = replaced(
        &written,
        "pub (crate) baseurl : String ,",
        "pub (crate) baseurl : crate :: transport :: Routes ,",
    )?;
    let written = replaced(
        &written,
        "baseurl : baseurl . to_string () ,",
        "baseurl : baseurl . into () ,",
    )?;
    let paths = paths.join(" , ");
    Ok(format!(
        "{written} # [doc = \"The paths of the calls, in the order in which they are below.\"] \
         pub (crate) const PATHS : & [& str] = & [{paths}] ;"
    ))
}

fn is_plain(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_');
    path.starts_with('/') && path.bytes().all(plain)
}

/// Writes all parameters into the URL at once: each time, the URL's query is taken apart and put
/// together again. `only_single_values` has looked that no parameter is a list.
fn with_one_query(code: &str) -> Result<String, Failure> {
    const BEGIN: &str = ". query (& progenitor_client :: QueryParam :: new (";
    const END: &str = "))";
    let mut written = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        written.push_str(before);
        written.push_str(". query (& (");
        let mut next = Some(after);
        while let Some(parameter) = next {
            let Some((pair, after)) = parameter.split_once(END) else {
                return Err("it has a query parameter in another form".into());
            };
            written.push_str(&format!("({pair}) ,"));
            rest = after;
            next = after.trim_start().strip_prefix(BEGIN);
        }
        written.push_str("))");
    }
    written.push_str(rest);
    if written.contains("QueryParam") {
        return Err("it has a query parameter in another form".into());
    }
    Ok(written)
}

/// Has each call hand on the body that was read within the limits, without another stream round it.
fn with_answers_in_memory(code: &str) -> Result<String, Failure> {
    let steps = [
        (
            "self . exec (request , & info)",
            "self . send (request , & info)",
        ),
        (
            "ResponseValue :: from_response (response)",
            "crate :: transport :: value (response)",
        ),
        (
            "ResponseValue :: stream (response)",
            "ResponseValue :: stream (crate :: transport :: whole (response))",
        ),
        (
            "Error :: UnexpectedResponse (response)",
            "Error :: UnexpectedResponse (crate :: transport :: whole (response))",
        ),
    ];
    let mut written = code.to_owned();
    for (from, to) in steps {
        written = replaced(&written, from, to)?;
    }
    let ways_out = written.matches("(response)").count();
    let ours = ["value (response)", "whole (response)"];
    let known: usize = ours.iter().map(|way| written.matches(way).count()).sum();
    if known != ways_out {
        return Err("it hands on an answer in a way that is not known here".into());
    }
    Ok(written)
}

fn replaced(code: &str, from: &str, to: &str) -> Result<String, Failure> {
    if code.contains(from) {
        Ok(code.replace(from, to))
    } else {
        Err(format!("it has no `{from}`").into())
    }
}
