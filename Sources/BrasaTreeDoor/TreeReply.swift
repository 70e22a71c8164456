import BrasaHTTP
import BrasaTreeService

/// Answers of the service as those of HTTP, with the fields that browsers ask for.
enum TreeReply {
    static let eventStream = "text/event-stream"
    private static let json = "application/json; charset=utf-8"
    private static let script = "application/javascript; charset=utf-8"

    private static let commonFields = [
        HTTPField("access-control-allow-origin", "*"),
        HTTPField("access-control-expose-headers", "ETag"),
        HTTPField("cache-control", "no-cache"),
    ]

    static let preflight: HTTPAnswer = {
        var answer = HTTPAnswer(200, contentType: Self.json, "")
        answer.fields =
            Self.commonFields + [
                HTTPField("access-control-allow-methods", "GET, PUT, POST, PATCH, DELETE"),
                HTTPField(
                    "access-control-allow-headers",
                    "Authorization, Content-Type, If-Match, If-None-Match, X-Firebase-ETag, X-HTTP-Method-Override, "
                        + "X-Firebase-AppCheck, X-Firebase-GMPID"
                ),
                HTTPField("access-control-max-age", "3600"),
            ]
        return answer
    }()

    /// Small ones in one piece, others as the client takes them.
    static func http(_ answer: TreeAnswer) -> HTTPAnswer {
        var reply = HTTPAnswer(answer.status, contentType: answer.callback == nil ? Self.json : Self.script, "")
        reply.fields = Self.commonFields
        if let etag = answer.etag { reply.fields.append(HTTPField("etag", etag)) }
        if let name = answer.fileName {
            reply.fields.append(HTTPField("content-disposition", "attachment; filename=\"\(name)\""))
        }
        guard var output = answer.output(), let first = output.next() else { return reply }
        if output.isComplete {
            reply.body = String(decoding: first, as: UTF8.self)
        } else {
            let sender = OutputSender(first, output)
            reply.pieces = HTTPPieces(next: { sender.next() })
        }
        return reply
    }

    static func http(_ sender: EventSender) -> HTTPAnswer {
        var reply = HTTPAnswer(200, contentType: "\(Self.eventStream); charset=utf-8", "")
        reply.fields = Self.commonFields
        reply.pieces = HTTPPieces(
            isEndless: true,
            start: { sender.start($0) },
            stop: { sender.stop() },
            next: { sender.next() }
        )
        return reply
    }
}

/// A large answer. Used on its request's event loop only; unchecked, because it is carried there.
private final class OutputSender: @unchecked Sendable {
    private var first: [UInt8]?
    private var output: TreeOutput

    init(_ first: [UInt8], _ output: TreeOutput) {
        self.first = first
        self.output = output
    }

    func next() -> HTTPPieces.Next {
        guard let piece = self.first.take() ?? self.output.next() else { return .end }
        return .piece(piece)
    }
}
