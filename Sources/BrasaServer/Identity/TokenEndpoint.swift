import BrasaHTTP
import BrasaTokens
import NIOCore

/// `POST /token`: what official clients exchange their signed tokens at (RFC 7523), for those of one event loop.
struct TokenEndpoint: Sendable {
    private let desk: TokenDesk
    private let eventLoop: any EventLoop

    init(_ desk: TokenDesk, on eventLoop: any EventLoop) {
        self.desk = desk
        self.eventLoop = eventLoop
    }

    func register(in router: inout HTTPRouter) {
        let (desk, eventLoop) = (self.desk, self.eventLoop)
        router.add(["POST"], TokenExchange.path, for: .everybody, bodyBytesMax: TokenExchange.bodyBytesMax) {
            request,
            answer in
            let address = PeerAddress(bytes: request.peer)
            desk.exchange(request.body, from: Visitor(address: address, text: address.description)) { response in
                let response = Self.answer(response)
                eventLoop.execute { answer(response) }
            }
        }
    }

    private static func answer(_ response: TokenResponse?) -> HTTPAnswer {
        guard let response else { return HTTPAnswer(503, "tokens cannot be verified now\n") }
        var answer = HTTPAnswer(
            response.status,
            contentType: "application/json",
            String(decoding: response.body, as: UTF8.self)
        )
        answer.isSecret = true
        return answer
    }
}
