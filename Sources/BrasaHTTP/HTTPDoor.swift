package import BrasaHTTP2
package import BrasaIdentity
package import NIOCore

/// The door of plain HTTP: finds out who asks, then asks the router. Bodies that no
/// route wants are ignored up to a bound.
package struct HTTPDoor: Sendable {
    /// Tools send no body or a few bytes of JSON. What is so much larger than the route takes ends its connection or stream.
    static let bodyBytesMax = 1 << 20

    let router: HTTPRouter
    let reception: Reception
    /// How long a request may take to arrive. One of HTTP/1.1 that takes longer ends its connection.
    let receiveTimeMax: TimeAmount
    /// Whom the connection is counted for.
    let peer: [UInt8]
    /// What bodies of HTTP/1.1 are drawn from. Those of HTTP/2 count for their connection's, and are drawn from that when their
    /// stream is gone.
    package var budget: ByteBudget?

    package init(
        _ router: HTTPRouter,
        _ reception: Reception,
        receiveTimeMax: TimeAmount = .seconds(60),
        peer: [UInt8] = []
    ) {
        self.peer = peer
        self.router = router
        self.reception = reception
        self.receiveTimeMax = receiveTimeMax
    }

    /// What a request shows of who asks: the field, or what its route takes for that.
    func authorization(_ field: [UInt8]?, target: String, _ dialect: HTTPDialect) -> [UInt8]? {
        guard field == nil, !dialect.tokenParameters.isEmpty else { return field }
        for parameter in HTTPQuery.parameters(target.drop { $0 != "?" }.dropFirst()) ?? [] {
            guard dialect.tokenParameters.contains(parameter.name), !parameter.value.isEmpty else { continue }
            return Array("Bearer \(parameter.value)".utf8)
        }
        return nil
    }

    /// Who asks, between a request's headers and the rest of it. Nil: `later` is called on the event loop.
    func identify(
        authorization: [UInt8]?,
        on eventLoop: any EventLoop,
        later: @escaping @Sendable (Identification) -> Void
    ) -> Identification? {
        self.reception.identify(authorization) { answer in eventLoop.execute { later(answer) } }
    }

    /// What one is answered who asks too often, or by the place of whoever reads their page; nil: the request may go on. It
    /// has counted for its caller then.
    func refusal(_ request: HTTPRequest, of admission: Admission, on page: PageOrigin?) -> HTTPAnswer? {
        guard self.router.isCounted(request) else { return nil }
        if admission.isAmbient, let page, page.isForeign { return .foreign }
        guard let nanoseconds = admission.share?.take(at: NIODeadline.now().uptimeNanoseconds) else { return nil }
        var answer = self.router.dialect(ofTarget: request.target).tooMany
        answer.retryAfterSeconds = HTTPAnswer.seconds(nanoseconds)
        return answer
    }

    /// What counts a body for its caller, if so much is kept at most; nil: nobody does.
    func claim(_ bytesWanted: Int, for admission: Admission) -> CallerClaim? {
        guard bytesWanted > 0, let share = admission.share, share.boundsBytes else { return nil }
        return CallerClaim(share)
    }
}
