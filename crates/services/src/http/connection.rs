//! One connection: handshake, requests and answers, watched from outside so that it cannot outstay its
//! limits.

use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
};
use hyper::{
    Request, Response,
    body::{Frame, Incoming, SizeHint},
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::watch,
    time::{MissedTickBehavior, interval},
};
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

use super::{
    Peer,
    connections::{Admitted, Conduct, Phase, Verdict},
};

/// How often a connection is held to its limits.
const TICK: Duration = Duration::from_millis(250);
/// Headers of a request.
const MAX_HEADERS: usize = 64;
/// Bytes of a request's head, and of what is read ahead.
const MAX_HEAD: usize = 32 << 10;

/// Serves a connection until it ends, by whichever side.
pub(super) async fn serve(
    stream: TcpStream,
    peer: Peer,
    admitted: Admitted,
    router: Router,
    tls: Option<TlsAcceptor>,
    mut stop: watch::Receiver<bool>,
) {
    // Without it answers come later, and are the same.
    let _ = stream.set_nodelay(true);
    let conduct = &admitted.conduct;
    let stream = Watched { stream, conduct: Arc::clone(conduct) };
    let (wind_down, winding_down) = watch::channel(false);
    let talk = async {
        match tls {
            None => talk(stream, peer, router, conduct, winding_down).await,
            Some(tls) => match tls.accept(stream).await {
                Ok(stream) => talk(stream, peer, router, conduct, winding_down).await,
                // What fails here is the client's connection, of which nobody else need know.
                Err(_) => admitted.connections.counts().end("handshake"),
            },
        }
    };
    let mut talk = std::pin::pin!(talk);
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = &mut talk => return,
            () = conduct.evicted.notified() => return,
            _ = stop.wait_for(|stop| *stop), if !*wind_down.borrow() => {
                wind_down.send_replace(true);
            }
            _ = tick.tick() => match conduct.judge(&admitted.connections.limits()) {
                Verdict::Keep => {}
                Verdict::Finish => { wind_down.send_replace(true); }
                Verdict::End(reason) => return admitted.connections.counts().end(reason),
            },
        }
    }
}

/// Requests and answers.
async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    router: Router,
    conduct: &Arc<Conduct>,
    mut winding_down: watch::Receiver<bool>,
) {
    conduct.enter(Phase::Head);
    let service = service_fn(move |request: Request<Incoming>| {
        let conduct = Arc::clone(conduct);
        let whole = request.body().is_end_stream();
        conduct.enter(if whole { Phase::Working } else { Phase::Body });
        let mut request = request.map(|body| {
            Body::new(Tracked { body, conduct: Arc::clone(&conduct), next: Phase::Working })
        });
        request.extensions_mut().insert(peer);
        let answer = router.clone().call(request);
        async move {
            let Ok(response) = answer.await;
            conduct.enter(Phase::Answer);
            let response: Response<_> =
                response.map(|body| Tracked { body, conduct, next: Phase::Idle });
            Ok::<_, Infallible>(response)
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        _ = winding_down.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    // Whoever hung up meanwhile is owed nothing more.
    let _ = connection.await;
}

/// A body whose end begins the next phase.
struct Tracked<B> {
    body: B,
    conduct: Arc<Conduct>,
    next: Phase,
}

impl<B> Tracked<B> {
    fn ended(&self) {
        // A request's body may end after the answer has begun.
        if self.next == Phase::Idle || self.conduct.phase() == Phase::Body {
            self.conduct.enter(self.next);
        }
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Tracked<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if self.next == Phase::Working
            && (matches!(frame, Poll::Ready(None)) || frame.is_ready() && self.body.is_end_stream())
        {
            self.ended();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Tracked<B> {
    fn drop(&mut self) {
        // The server drops an answer when the last of it is handed to the connection.
        self.ended();
    }
}

/// A stream whose every movement is noted.
struct Watched {
    stream: TcpStream,
    conduct: Arc<Conduct>,
}

impl Watched {
    fn note(&self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => self.conduct.took(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.conduct.block(),
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.conduct.received();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Who flushes has written all it had.
        self.conduct.flushed();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
