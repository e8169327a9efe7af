//! Reading a body up to a limit.

use bytes::{Bytes, BytesMut};

/// A body was larger than the client reads.
///
/// It is the source of an [`Error`](crate::Error) for which
/// [`is_body_too_large`](crate::Error::is_body_too_large) is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is larger than {limit} bytes")]
pub struct BodyTooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

/// Why a body could not be read to its end.
#[derive(Debug)]
pub(super) enum BodyFault {
    TooLarge(BodyTooLarge),
    Broken(reqwest::Error),
}

/// How much is set aside for a length that a node merely announces.
const TRUSTED_LENGTH: usize = 1024 * 1024;

/// Reads the whole body, and stops reading as soon as it is larger than `limit`.
pub(super) async fn read(
    response: &mut reqwest::Response,
    limit: usize,
) -> Result<Bytes, BodyFault> {
    let too_large = BodyFault::TooLarge(BodyTooLarge { limit });
    let announced = response
        .content_length()
        .map(|length| usize::try_from(length).ok());
    let announced = match announced {
        Some(Some(length)) if length <= limit => length,
        Some(_) => return Err(too_large),
        None => 0,
    };
    let Some(first) = response.chunk().await.map_err(BodyFault::Broken)? else {
        return Ok(Bytes::new());
    };
    // Most answers come in one piece, which then needs no copy.
    let Some(second) = response.chunk().await.map_err(BodyFault::Broken)? else {
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
        next = response.chunk().await.map_err(BodyFault::Broken)?;
    }
    Ok(body.freeze())
}

/// Reads the start of a body, whose rest is of no interest; a broken one ends where it broke.
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
