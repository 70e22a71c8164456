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
            sendBatch: { call, batch in call.sendBatch(batch) },
            respond: { call, response in call.respond(call.message(response)) },
            respondOutcome: { call, response in call.respond(outcome: call.message(response)) }
        )
    }
}

extension Door<GRPCServerCall, RunQueryResponse> {
    /// The same, which knows what the answers of queries are made of.
    static var grpcQueries: Self {
        Self(
            send: { call, response in call.sendMessage(response) },
            sendBatch: { call, batch in
                guard let found = batch as? FoundDocuments else { return call.sendBatch(batch) }
                let encoder = FoundDocumentsEncoder(found)
                return call.send(encoder.count, bytesMost: encoder.byteCountMost) { encoder.write(at: $0, to: $1) }
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

    /// About how many bytes they are.
    func sendBatch<Response: WireResponse>(_ batch: any ResponseBatch<Response>) -> Int {
        self.send(batch.count, capacity: batch.byteCount) { batch.response(at: $0).encode(into: &$1) }
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
