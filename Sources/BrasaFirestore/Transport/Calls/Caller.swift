package import BrasaDocuments
internal import BrasaGRPC
internal import BrasaHTTP2
package import NIOCore

/// What all calls of one database share: the channel, the token, the policies, and the headers that are made once.
///
/// Unchecked: on the channel's event loop only, but for what is constant; other threads pass the reference on.
package final class Caller: @unchecked Sendable {
    package let channel: CallChannel
    package let database: DatabaseName
    let policies: CallPolicies
    let credentials: Credentials
    /// Is told how calls went.
    let observer: FirestoreSettings.CallObserver?
    /// Is told of calls that begin.
    let tracer: FirestoreSettings.CallTracer?

    // Guarded by the event loop.
    private var requests: [GRPCClientRequest?]
    private var requestsToken: UInt64?
    /// When a read found no server last.
    var unreachableSince: NIODeadline?

    package init(
        channel: CallChannel,
        database: DatabaseName,
        credentials: Credentials,
        policies: CallPolicies = .standard,
        observer: FirestoreSettings.CallObserver? = nil,
        tracer: FirestoreSettings.CallTracer? = nil
    ) {
        self.channel = channel
        self.database = database
        self.credentials = credentials
        self.policies = policies
        self.observer = observer
        self.tracer = tracer
        self.requests = CallMethod.allCases.map { _ in nil }
    }

    package var eventLoop: any EventLoop { self.channel.eventLoop }

    /// Does something on the event loop: at once for whoever is there, else after what was handed over before.
    func onLoop(_ work: @escaping @Sendable () -> Void) {
        let eventLoop = self.eventLoop
        if eventLoop.inEventLoop { work() } else { eventLoop.execute(work) }
    }

    /// The headers of a call. Those with the method's own timeout are used again, also for calls that have a little less
    /// time left.
    func request(_ method: CallMethod, token: Credentials.Token, timeout: TimeAmount?) -> GRPCClientRequest {
        if self.requestsToken != token.number {
            self.requestsToken = token.number
            for index in self.requests.indices { self.requests[index] = nil }
        }
        let usual = self.policies[method].timeout
        let isUsual = timeout == usual || Self.isNearly(timeout, usual)
        if isUsual, let request = self.requests[method.rawValue] { return request }
        let request = GRPCClientRequest(
            method.descriptor,
            metadata: self.metadata(token),
            timeout: isUsual ? usual : timeout,
            configuration: self.channel.configuration.grpc
        )
        if isUsual { self.requests[method.rawValue] = request }
        return request
    }

    private static func isNearly(_ timeout: TimeAmount?, _ usual: TimeAmount?) -> Bool {
        guard let timeout, let usual else { return false }
        return usual - timeout <= .milliseconds(2)
    }

    private func metadata(_ token: Credentials.Token) -> GRPCMetadata {
        var metadata = GRPCMetadata()
        metadata.append("user-agent", Self.identification)
        metadata.append("x-goog-api-client", Self.identification)
        metadata.append("google-cloud-resource-prefix", self.database.string)
        metadata.append("x-goog-request-params", self.database.string)
        if let text = token.text { metadata.append(.authorization, "Bearer \(text)") }
        return metadata
    }

    /// Language, library and transport, in the form that the protocol's servers count.
    private static let identification = "gl-swift/6.3 fire/brasa grpc/brasa"
}
