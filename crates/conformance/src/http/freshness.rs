//! How long a browser or a cache may keep a response.

use std::time::Duration;

/// Returns how long a program may keep a response without another request, by its `cache-control` and `age` headers.
pub(crate) fn fresh_for(header: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let control = header("cache-control")?.to_ascii_lowercase();
    let mut directives = control.split(',').map(str::trim);
    let is_for_now = |directive: &str| {
        let name = directive.split('=').next().unwrap_or_default();
        matches!(name, "no-cache" | "no-store")
    };
    if directives.clone().any(is_for_now) {
        return None;
    }
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age="))?;
    let seconds: u64 = seconds.trim_matches('"').parse().ok()?;
    let age = header("age").and_then(|age| age.trim().parse().ok());
    let left = seconds.checked_sub(age.unwrap_or(0))?;
    (left > 0).then_some(Duration::from_secs(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_may_be_kept_as_long_as_its_headers_say() {
        for (control, age, seconds) in [
            ("max-age=60", None, Some(60)),
            ("public, Max-Age=\"60\"", None, Some(60)),
            ("max-age=60", Some("50"), Some(10)),
            ("max-age=60", Some("61"), None),
            ("max-age=0, must-revalidate", None, None),
            ("max-age=60, no-cache=\"set-cookie\"", None, None),
            ("no-store", None, None),
            ("max-age=soon", None, None),
        ] {
            let header = |name: &str| match name {
                "age" => age.map(str::to_owned),
                _ => Some(control.to_owned()),
            };
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(fresh_for(header), expected, "{control} {age:?}");
        }
    }
}
