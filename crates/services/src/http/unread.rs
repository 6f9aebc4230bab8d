//! The rest of a refused client's request is read and dropped, up to a limit. If the connection were closed before
//! that, the answer could be lost, and the client would never learn why it was refused.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::Request,
    middleware::Next,
    response::Response,
};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};

/// Bytes that are thrown away at most, and the time for it.
const LIMIT: usize = 16 << 20;
const TIME: Duration = Duration::from_secs(2);

/// A body that can be read on after its reader has gone.
#[derive(Clone)]
struct Unread(Arc<Mutex<Body>>);

impl Unread {
    fn lock(&self) -> MutexGuard<'_, Body> {
        // A reader that panicked reads no more, and what it left is only thrown away.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn discard(mut self) {
        let mut left = LIMIT;
        while let Some(Ok(frame)) = self.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(length) else { return };
            left = rest;
        }
    }
}

impl HttpBody for Unread {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}

/// Answers, and then takes what is left of the request's body.
pub async fn take_unread(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let unread = Unread(Arc::new(Mutex::new(body)));
    let response = next.run(Request::from_parts(parts, Body::new(unread.clone()))).await;
    // Who sends for longer loses the connection, and perhaps the answer.
    let _ = tokio::time::timeout(TIME, unread.discard()).await;
    response
}
