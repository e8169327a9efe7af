//! Reading a body within the limits.

use bytes::{Bytes, BytesMut};
use nodeproof_primitives::is_nested_deeper;

/// A body exceeded a limit of the client.
///
/// It is the source of an [`Error`](crate::Error) for which
/// [`is_body_too_large`](crate::Error::is_body_too_large) is true. After a submission, check
/// [`Error::maybe_sent`](crate::Error::maybe_sent) first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyTooLarge {
    /// It has more bytes than [`max_body`](super::Limits::max_body). Raise this limit if you trust
    /// the node, or use another node.
    #[error("the response is larger than {limit} bytes")]
    Bytes {
        /// The limit, in bytes.
        limit: usize,
    },
    /// It has more values than [`max_values`](super::Limits::max_values). Raise this limit if you
    /// trust the node, or use another node.
    #[error("the response has more than {limit} values")]
    Values {
        /// The limit, in values.
        limit: usize,
    },
    /// It is nested deeper than [`max_depth`](super::Limits::max_depth). Use another node. A higher
    /// limit helps only with responses that stay text.
    #[error("the response is nested more than {limit} levels deep")]
    Depth {
        /// The limit, in levels.
        limit: usize,
    },
}

/// The reason why a body could not be read completely.
#[derive(Debug)]
pub(super) enum BodyFault {
    TooLarge(BodyTooLarge),
    Read(reqwest::Error),
}

/// The maximum memory that is reserved for an announced length, in bytes.
const TRUSTED_LENGTH: usize = 1024 * 1024;

/// Reads the whole body. Stops as soon as it is larger than `limit`.
pub(super) async fn read(
    response: &mut reqwest::Response,
    limit: usize,
) -> Result<Bytes, BodyFault> {
    let too_large = BodyFault::TooLarge(BodyTooLarge::Bytes { limit });
    let announced = response
        .content_length()
        .map(|length| usize::try_from(length).ok());
    let announced = match announced {
        Some(Some(length)) if length <= limit => length,
        Some(_) => return Err(too_large),
        None => 0,
    };
    let Some(first) = response.chunk().await.map_err(BodyFault::Read)? else {
        return Ok(Bytes::new());
    };
    // Most responses are one chunk, which needs no copy.
    let Some(second) = response.chunk().await.map_err(BodyFault::Read)? else {
        return if first.len() > limit {
            Err(too_large)
        } else {
            Ok(first)
        };
    };
    let mut body = BytesMut::with_capacity(announced.min(TRUSTED_LENGTH).max(first.len()));
    body.extend_from_slice(&first);
    let mut next = Some(second);
    while let Some(chunk) = next {
        if body.len() + chunk.len() > limit {
            return Err(too_large);
        }
        body.extend_from_slice(&chunk);
        next = response.chunk().await.map_err(BodyFault::Read)?;
    }
    Ok(body.freeze())
}

/// Reads the start of a body whose rest is not needed. A broken body ends where it broke.
pub(super) async fn read_start(response: &mut reqwest::Response, most: usize) -> Bytes {
    let mut start = BytesMut::new();
    while start.len() < most
        && let Ok(Some(chunk)) = response.chunk().await
    {
        let wanted = chunk.len().min(most - start.len());
        start.extend_from_slice(chunk.get(..wanted).unwrap_or_default());
    }
    start.freeze()
}

/// Checks that a JSON text does not have more values than this, and is not nested deeper.
///
/// Small values take far more memory once they are parsed, and no other code checks the parts that
/// stay text. Values are counted by the bytes that open or separate them, also inside strings,
/// because nodes write lists inside strings.
pub(super) fn measure(body: &[u8], values: usize, depth: usize) -> Result<(), BodyTooLarge> {
    let parts = |piece: &[u8]| -> usize {
        let ones = piece
            .iter()
            .map(|byte| u8::from(matches!(byte, b',' | b'[' | b'{')));
        usize::from(ones.sum::<u8>())
    };
    // A byte counts the matches of each piece. The fixed length lets the compiler use wide
    // instructions for all pieces but the last.
    let (pieces, rest) = body.as_chunks::<128>();
    let counted = pieces.iter().map(|piece| parts(piece)).sum::<usize>() + parts(rest);
    if counted > values {
        return Err(BodyTooLarge::Values { limit: values });
    }
    // With fewer values than allowed levels, the text can't be too deep.
    if counted > depth && is_nested_deeper(body, depth) {
        return Err(BodyTooLarge::Depth { limit: depth });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str, values: usize, depth: usize) -> Option<BodyTooLarge> {
        measure(text.as_bytes(), values, depth).err()
    }

    #[test]
    fn counts_values_wherever_they_stand() {
        assert_eq!(measured("[1,2,3]", 3, 9), None);
        let limit = 2;
        let too_many = Some(BodyTooLarge::Values { limit });
        assert_eq!(measured("[1,2,3]", limit, 9), too_many);
        assert_eq!(measured(r#"{"list":"[1,2]"}"#, limit, 9), too_many);
        let long = format!("[{}]", vec!["0"; 1000].join(","));
        assert_eq!(measured(&long, 1000, 9), None);
        assert!(measured(&long, 999, 9).is_some());
    }

    #[test]
    fn depth_is_bounded() {
        let limit = 3;
        let too_deep = Some(BodyTooLarge::Depth { limit });
        assert_eq!(measured("[[[[]]]]", 99, limit), too_deep);
        assert_eq!(measured("[[[[]]]]", 99, 4), None);
    }
}
