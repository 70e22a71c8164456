package import BrasaGRPC
internal import BrasaHTTP2
internal import NIOCore

/// A connection that calls can use. On the channel's event loop only.
package final class Link {
    package let grpc: GRPCClientConnection
    let channel: any Channel
    let readySince: NIODeadline
    private var hasAnswered = false

    init(_ grpc: GRPCClientConnection, channel: any Channel) {
        self.grpc = grpc
        self.channel = channel
        self.readySince = channel.eventLoop.now
    }

    /// Whether a call can start on it at once.
    var hasRoom: Bool {
        let http2 = self.grpc.http2
        return !http2.isDraining && http2.openStreams < Swift.min(http2.peerConcurrentStreamsMax, Self.streamsMax)
    }

    private static let streamsMax = 1000

    /// The server has said something about a call.
    package func noteAnswer() {
        self.hasAnswered = true
    }

    /// Whether it was of use, so that its end is no failure to reach the server.
    func wasHealthy(after age: Duration) -> Bool {
        self.hasAnswered || self.channel.eventLoop.now - self.readySince >= TimeAmount(age)
    }

    /// Takes no new calls; those it has may finish.
    func retire(grace: TimeAmount) {
        self.grpc.http2.drain(grace: grace)
    }
}
