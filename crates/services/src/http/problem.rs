//! Why a request is not answered, as RFC 9457 has it.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use client::api;

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    reason: &'static str,
    detail: String,
    /// Seconds after which the client may try again.
    retry_after: Option<u64>,
    /// What the operator, and nobody else, is told.
    cause: Option<String>,
}

/// Why a request failed, for the operator: an extension of the response.
#[derive(Clone, Debug)]
pub struct Cause(pub String);

/// The reason of a problem: an extension of the response.
#[derive(Clone, Copy, Debug)]
pub struct Reason(pub &'static str);

impl Problem {
    /// A status, the reason for machines, and what is wrong for people.
    pub fn new(status: StatusCode, reason: &'static str, detail: impl Into<String>) -> Self {
        Self { status, reason, detail: detail.into(), retry_after: None, cause: None }
    }

    /// 400: the request cannot be read.
    pub fn malformed(reason: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, reason, detail)
    }

    /// 401: the request shows no token that is known.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// 403: not with this token.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// 404.
    pub fn not_found(reason: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, reason, detail)
    }

    /// 409: not in this state.
    pub fn conflict(reason: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, reason, detail)
    }

    /// 422: read, and refused for what it says.
    pub fn refused(reason: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, reason, detail)
    }

    /// 429: too often; again in so many seconds.
    pub fn too_many(reason: &'static str, detail: impl Into<String>, seconds: u64) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, reason, detail);
        Self { retry_after: Some(seconds), ..problem }
    }

    /// 503: not now; again in so many seconds.
    pub fn overloaded(detail: impl Into<String>, seconds: u64) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", detail);
        Self { retry_after: Some(seconds), ..problem }
    }

    /// 500: a fault of the server's, of which the client learns nothing, and the operator the cause.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let detail = "the server failed; its operator's log says why";
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail);
        Self { cause: Some(cause.to_string()), ..problem }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, reason, detail, retry_after, cause } = self;
        let body = api::Problem {
            kind: format!("urn:subrosa:problem:{reason}"),
            // For people: the status stands beside it.
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            status: status.as_u16(),
            reason: reason.to_owned(),
            detail,
        };
        // Text and a number are always JSON.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let kind = HeaderValue::from_static("application/problem+json");
        let mut response = (status, [(header::CONTENT_TYPE, kind)], body).into_response();
        response.extensions_mut().insert(Reason(reason));
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        if status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
