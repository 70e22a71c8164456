package import BrasaIdentity
package import NIOCore

/// The door of plain HTTP: finds out who asks, then asks the router. Bodies that no
/// route wants are ignored up to a bound.
package struct HTTPDoor: Sendable {
    /// Tools send no body or a few bytes of JSON. A larger one ends its connection or stream.
    static let bodyBytesMax = 1 << 20

    let router: HTTPRouter
    let reception: Reception
    /// How long a request of HTTP/2 may take to arrive. One of HTTP/1.1 has its connection's idle limit.
    let receiveTimeMax: TimeAmount
    /// Whom the connection is counted for.
    let peer: [UInt8]

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

    /// Who asks, between a request's headers and the rest of it. Nil: `later` is called on the event loop.
    func identify(
        authorization: [UInt8]?,
        on eventLoop: any EventLoop,
        later: @escaping @Sendable (Identification) -> Void
    ) -> Identification? {
        switch self.reception {
        case .open: return .caller(.administrator)
        case .desk(let recognize, let identify):
            if let authorization {
                if let known = authorization.withUnsafeBytes({ recognize($0) }) { return .admitted(known) }
            } else if let known = recognize(nil) {
                return .admitted(known)
            }
            return identify(Credentials(authorization: authorization)) { answer in
                eventLoop.execute { later(answer) }
            }
        }
    }
}
