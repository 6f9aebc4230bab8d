//! Requests, read with limits; whatever cannot be read is a [`Problem`].

use std::{error::Error as _, str::FromStr, time::Duration};

use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use http_body_util::LengthLimitError;
use serde::{Serialize, de::DeserializeOwned};

use super::Problem;

/// A state that says how large and how deep a body may be.
pub trait Limited: Send + Sync {
    /// Bytes of a body.
    fn body_bytes(&self) -> usize;
    /// How long a body may take to come.
    fn body_time(&self) -> Duration;
    /// Arrays and objects inside of each other.
    fn json_depth(&self) -> usize;
}

/// A message in JSON, both ways.
pub struct Json<T>(pub T);

impl<S: Limited, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        require_type(request.headers(), &["application/json"])?;
        let bytes = read(request, state).await?;
        check_depth(&bytes, state.json_depth())?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => Problem::refused("fields", error.to_string()),
            _ => Problem::malformed("json", error.to_string()),
        })
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => Problem::internal(error).into_response(),
        }
    }
}

/// Bytes as they are: canonical encodings, and notes.
pub struct Raw(pub Vec<u8>);

impl<S: Limited> FromRequest<S> for Raw {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        require_type(request.headers(), &["application/octet-stream", "text/plain"])?;
        read(request, state).await.map(Self)
    }
}

/// The media type must be one of these, whatever its parameters.
fn require_type(headers: &HeaderMap, expected: &[&str]) -> Result<(), Problem> {
    // What is missing or no text is none of these, and refused.
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    match expected.iter().any(|kind| essence.eq_ignore_ascii_case(kind)) {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media-type",
            format!("the body must be {}", expected.join(" or ")),
        )),
    }
}

async fn read(request: Request, limits: &impl Limited) -> Result<Vec<u8>, Problem> {
    let limit = limits.body_bytes();
    let too_large = || {
        let detail = format!("a body has at most {limit} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body-size", detail)
    };
    let announced = request.headers().get(header::CONTENT_LENGTH);
    // A length that is no number is not believed: the body is read up to the limit in any case.
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let body: Body = request.into_body();
    let read = tokio::time::timeout(limits.body_time(), axum::body::to_bytes(body, limit));
    let late = |_| {
        let seconds = limits.body_time().as_secs();
        let detail = format!("a body is there within {seconds} seconds");
        Problem::new(StatusCode::REQUEST_TIMEOUT, "time", detail)
    };
    match read.await.map_err(late)? {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) if error.source().is_some_and(|source| source.is::<LengthLimitError>()) => {
            Err(too_large())
        }
        Err(_) => Err(Problem::malformed("body", "the body ended early or was sent wrongly")),
    }
}

/// Refuses JSON that nests deeper than anything that is asked for, before it is parsed.
fn check_depth(bytes: &[u8], limit: usize) -> Result<(), Problem> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            let detail = format!("arrays and objects may nest {limit} deep");
            return Err(Problem::malformed("json-depth", detail));
        }
    }
    Ok(())
}

/// The parameters after the question mark.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Query(params) = Query::<T>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Problem::malformed("parameters", rejection.body_text()))?;
        Ok(Self(params))
    }
}

/// A part of the path by its name in the route.
///
/// # Errors
/// 404 for a part that is not of the type.
pub async fn path<T: FromStr>(parts: &mut Parts, name: &'static str) -> Result<T, Problem> {
    let wrong = |detail: String| Problem::not_found("path", detail);
    let params = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|rejection| wrong(rejection.body_text()))?;
    let found = params.iter().find(|(key, _)| *key == name);
    // Whatever is wrong with it, the path has no such part.
    let parsed = found.and_then(|(_, value)| value.parse().ok());
    parsed.ok_or_else(|| wrong(format!("the path has no such {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_outside_of_strings() {
        for (text, deep) in [
            ("[[1]]", false),
            ("[[[1]]]", true),
            (r#"{"a":"[[[[["}"#, false),
            (r#"{"a":"\"[[["}"#, false),
            (r#"["\\",[[1]]]"#, true),
            ("[1],[1],[1]", false),
            ("]]]][[[", true),
        ] {
            assert_eq!(check_depth(text.as_bytes(), 2).is_err(), deep, "{text}");
        }
    }
}
