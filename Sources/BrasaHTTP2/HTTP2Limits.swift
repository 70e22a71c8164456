package import NIOCore

/// The bounds of one connection. What happens at each is said with it.
package struct HTTP2Limits: Sendable {
    /// Streams that a peer may have open on a server (more are refused), and that a client opens (more are an error).
    package var concurrentStreamsMax = 1024
    /// Bytes that a peer may send on one stream before they are consumed (its window).
    package var streamWindowBytes = 256 << 10
    /// Bytes that a peer may send on all streams before they are consumed. Several times `streamWindowBytes`, so that
    /// a few streams which nobody consumes do not stop the others.
    package var connectionWindowBytes = 4 << 20
    /// The header list of one message, counted as RFC 9113 does (32 bytes on top of each field). A larger one resets
    /// its stream with ENHANCE_YOUR_CALM; one that goes on to `headerBombFactor` times as much ends the connection.
    package var headerListBytesMax = 32 << 10
    /// How long the peer may take to send a header block. Past it the connection is ended with
    /// GOAWAY(ENHANCE_YOUR_CALM).
    package var headerBlockTimeMax: TimeAmount = .seconds(10)
    /// The largest frame taken.
    package var frameBytesMax = 16 << 10
    /// `HTTP2Stream.isWritable` turns false when this many bytes wait to be sent on the stream.
    package var streamHighWaterBytes = 256 << 10
    /// A stream at the high mark becomes writable again when no more than this many bytes wait.
    package var streamLowWaterBytes = 64 << 10
    /// While this many bytes wait on all streams together, only streams with nothing waiting are writable,
    package var connectionBufferedBytesMax = 8 << 20
    /// and while this many wait, none is, and `HTTP2Stream.hasRoom` says no.
    package var connectionUnreadBytesMax = 64 << 20
    /// What a connection may keep though the process's budget has no room for it. Past this it is ended with
    /// GOAWAY(ENHANCE_YOUR_CALM).
    package var excessBytesMax = 256 << 10
    /// How often a server looks who does not read. A complete response of which little or nothing has left between two
    /// looks is given up: RST_STREAM(CANCEL).
    package var unreadTimeMax: TimeAmount = .seconds(60)

    /// RST_STREAM frames received in a second. Past this and the following budgets the connection is ended
    /// with GOAWAY(ENHANCE_YOUR_CALM).
    /// Twice the streams: a client that has them all open may give them all up, and do so again.
    package var resetsPerSecond = 2048
    package var pingsPerSecond = 100
    package var settingsPerSecond = 20
    /// DATA frames that carry nothing and end nothing.
    package var emptyFramesPerSecond = 1000
    /// PRIORITY and WINDOW_UPDATE frames. Each DATA frame sent earns two more.
    package var glitchesPerSecond = 2000

    /// How long a connection that is to be closed may take to deliver its last frames.
    package var lingerTime: TimeAmount = .seconds(2)

    package init() {}

    static let headerBombFactor = 4
}
