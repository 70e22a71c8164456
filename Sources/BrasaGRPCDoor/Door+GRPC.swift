import BrasaGRPC
import BrasaMessages
import BrasaService
import BrasaWire
import NIOCore

extension Door where Transport == GRPCServerCall, Response: WireResponse {
    /// Answers in protobuf.
    static var grpc: Self {
        Self(
            send: { call, response in call.sendMessage(response) },
            sendAll: { call, responses, byteCount in
                call.send(responses.count, capacity: byteCount) { responses[$0].encode(into: &$1) }
            },
            respond: { call, response in call.respond(call.message(response)) },
            respondOutcome: { call, response in call.respond(outcome: call.message(response)) }
        )
    }
}

extension GRPCServerCall {
    func message(_ response: some WireResponse) -> ByteBuffer {
        var buffer = self.makeMessageBuffer(capacity: response.byteCountEstimate)
        response.encode(into: &buffer)
        return buffer
    }

    /// How many bytes it is.
    func sendMessage(_ response: some WireResponse) -> Int {
        let message = self.message(response)
        let byteCount = message.readableBytes
        self.send(message)
        return byteCount
    }

    /// The decoded request; nil when it was refused and the call is finished with the reason.
    func decode<Request>(_ body: () throws(WireError) -> Request) -> Request? {
        do throws(WireError) {
            return try body()
        } catch {
            self.finish(error.status)
            return nil
        }
    }
}
