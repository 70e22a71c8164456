package import BrasaIdentity
package import BrasaMessages

/// How a door carries the calls of one method: by its transport, and by its encoding of `Response`. One for all calls of the
/// method on one event loop, made at start (docs/doors.md).
package struct Door<Transport: CallTransport, Response: Sendable>: Sendable {
    private let functions: CallFunctions<Response>

    /// - Parameters:
    ///   - send: sends one of any number of responses, and says about how many bytes it is.
    ///   - sendBatch: sends several of any number at once; nil: each by itself.
    ///   - sendShared: the same as `send` for one that other calls are sent as well; nil: each is sent its own.
    ///   - sendPair: the same for two in a row.
    ///   - respond: ends a call with its one response, or with RESOURCE_EXHAUSTED when there is no room for it.
    ///   - respondOutcome: the same for a call that may have changed something: what has happened is told in any case.
    package init(
        send: @escaping @Sendable (Transport, Response) -> Int,
        sendBatch: (@Sendable (Transport, any ResponseBatch<Response>) -> Int)? = nil,
        sendShared: (@Sendable (Transport, SharedResponse<Response>) -> Void)? = nil,
        sendPair: (@Sendable (Transport, SharedPair<Response>) -> Void)? = nil,
        respond: @escaping @Sendable (Transport, Response) -> Void,
        respondOutcome: @escaping @Sendable (Transport, Response) -> Void
    ) {
        let sendBatch =
            sendBatch ?? { call, batch in (0..<batch.count).reduce(0) { $0 + send(call, batch.response(at: $1)) } }
        let sendShared = sendShared ?? { _ = send($0, $1.response) }
        let sendPair =
            sendPair
            ?? { call, pair in
                sendShared(call, pair.first)
                sendShared(call, pair.second)
            }
        self.functions = CallFunctions(
            transport: TransportFunctions(Transport.self),
            send: { send(unsafeDowncast($0, to: Transport.self), $1) },
            sendBatch: { sendBatch(unsafeDowncast($0, to: Transport.self), $1) },
            sendShared: { sendShared(unsafeDowncast($0, to: Transport.self), $1) },
            sendPair: { sendPair(unsafeDowncast($0, to: Transport.self), $1) },
            respond: { respond(unsafeDowncast($0, to: Transport.self), $1) },
            respondOutcome: { respondOutcome(unsafeDowncast($0, to: Transport.self), $1) }
        )
    }

    /// - Parameter requestBytes: what the request took where it was read.
    package func call(_ transport: Transport, by caller: Caller, requestBytes: Int = 0) -> Call<Response> {
        Call(handle: transport, functions: self.functions, caller: caller, requestBytes: requestBytes)
    }
}

typealias CallHandle = AnyObject & Sendable

/// What a service's side of a call can do, without the type of its door: a service is compiled once for all doors.
///
/// Stored functions that take the transport's call, rather than an existential or a parameter of all service methods: a call
/// has no object, box or closure of its own by it, and an answer is one indirect call away from its encoder. Only `Door`
/// makes one, and hands it no call of another type.
final class CallFunctions<Response: Sendable>: Sendable {
    let transport: TransportFunctions
    let send: @Sendable (any CallHandle, Response) -> Int
    let sendBatch: @Sendable (any CallHandle, any ResponseBatch<Response>) -> Int
    let sendShared: @Sendable (any CallHandle, SharedResponse<Response>) -> Void
    let sendPair: @Sendable (any CallHandle, SharedPair<Response>) -> Void
    let respond: @Sendable (any CallHandle, Response) -> Void
    let respondOutcome: @Sendable (any CallHandle, Response) -> Void

    init(
        transport: TransportFunctions,
        send: @escaping @Sendable (any CallHandle, Response) -> Int,
        sendBatch: @escaping @Sendable (any CallHandle, any ResponseBatch<Response>) -> Int,
        sendShared: @escaping @Sendable (any CallHandle, SharedResponse<Response>) -> Void,
        sendPair: @escaping @Sendable (any CallHandle, SharedPair<Response>) -> Void,
        respond: @escaping @Sendable (any CallHandle, Response) -> Void,
        respondOutcome: @escaping @Sendable (any CallHandle, Response) -> Void
    ) {
        self.transport = transport
        self.send = send
        self.sendBatch = sendBatch
        self.sendShared = sendShared
        self.sendPair = sendPair
        self.respond = respond
        self.respondOutcome = respondOutcome
    }
}

/// What does not depend on the response.
struct TransportFunctions: Sendable {
    let isFinished: @Sendable (any CallHandle) -> Bool
    let isWritable: @Sendable (any CallHandle) -> Bool
    let hasOpenOutcome: @Sendable (any CallHandle) -> Bool
    let setOpenOutcome: @Sendable (any CallHandle, Bool) -> Void
    let onCancel: @Sendable (any CallHandle, @escaping () -> Void) -> Void
    let hasRoom: @Sendable (any CallHandle, Int) -> Bool
    let hold: @Sendable (any CallHandle, Int) -> Bool
    let refusal: @Sendable (any CallHandle, Int) -> Status?
    let countListeners: @Sendable (any CallHandle, Int) -> Status?
    let pauseReading: @Sendable (any CallHandle) -> Void
    let resumeReading: @Sendable (any CallHandle) -> Void
    let flushIfMuch: @Sendable (any CallHandle) -> Void
    let finish: @Sendable (any CallHandle, Status) -> Void

    init<Transport: CallTransport>(_: Transport.Type) {
        self.isFinished = { unsafeDowncast($0, to: Transport.self).isFinished }
        self.isWritable = { unsafeDowncast($0, to: Transport.self).isWritable }
        self.hasOpenOutcome = { unsafeDowncast($0, to: Transport.self).hasOpenOutcome }
        self.setOpenOutcome = { unsafeDowncast($0, to: Transport.self).hasOpenOutcome = $1 }
        self.onCancel = { unsafeDowncast($0, to: Transport.self).onCancel($1) }
        self.hasRoom = { unsafeDowncast($0, to: Transport.self).hasRoom(for: $1) }
        self.hold = { unsafeDowncast($0, to: Transport.self).hold($1) }
        self.refusal = { unsafeDowncast($0, to: Transport.self).refusal(toHold: $1) }
        self.countListeners = { unsafeDowncast($0, to: Transport.self).countListeners($1) }
        self.pauseReading = { unsafeDowncast($0, to: Transport.self).pauseReading() }
        self.resumeReading = { unsafeDowncast($0, to: Transport.self).resumeReading() }
        self.flushIfMuch = { unsafeDowncast($0, to: Transport.self).flushIfMuch() }
        self.finish = { unsafeDowncast($0, to: Transport.self).finish($1) }
    }
}
