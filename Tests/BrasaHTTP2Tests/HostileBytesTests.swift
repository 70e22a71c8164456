import BrasaHTTP2
import NIOCore
import NIOEmbedded
import Testing

/// Frames that are nearly right, and bytes that are not frames, from seeds: whatever comes, every stream is closed exactly
/// once and the connection survives or is closed.
@Suite struct HostileBytesTests {
    private func frame(_ random: inout SeededGenerator) -> RawPeer.Frame {
        let stream = UInt32.random(in: 0...12, using: &random)
        let noise = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: return .request(stream | 1, end: Bool.random(using: &random))
        case 3, 4: return .data(stream | 1, noise, end: Bool.random(using: &random))
        case 5: return .reset(stream | 1, UInt32.random(in: 0...20, using: &random))
        case 6: return .windowUpdate(stream, UInt32.random(in: 0...(.max), using: &random))
        case 7: return .headers(stream | 1, [("grpc-status", "0")], end: true)
        case 8: return RawPeer.Frame(type: 1, flags: 5, stream: stream | 1, payload: noise)
        case 9: return .ping
        case 10:
            let setting = [0, UInt8.random(in: 1...8, using: &random)]
            let value = RawPeer.bigEndian(UInt32.random(in: 0...100_000, using: &random))
            return RawPeer.Frame(type: 4, payload: setting + value)
        default:
            return RawPeer.Frame(
                type: UInt8.random(in: 0...12, using: &random),
                flags: UInt8.random(in: 0...255, using: &random),
                stream: stream,
                payload: noise
            )
        }
    }

    private func act(on call: Recorder, _ random: inout SeededGenerator) {
        guard let stream = call.stream, call.closed.isEmpty else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            if call.headers != nil, stream.bufferedBytes == 0, call.wakeUps == 0 {
                call.wakeUps = 1
                stream.sendHeaders(.ok)
                stream.sendData(ByteBuffer(repeating: 1, count: 10_000))
                stream.sendTrailers(.trailers)
            }
        case 1: stream.reset(.internalError)
        case 2: stream.consume(Int.random(in: 0...1000, using: &random))
        default: break
        }
    }

    @Test(arguments: 0..<400)
    func `Random frames to a server`(seed: Int) throws {
        var random = SeededGenerator(seed)
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        peer.greet()
        for _ in 0..<60 where peer.channel.isActive {
            var bytes = self.frame(&random).bytes
            if Int.random(in: 0..<20, using: &random) == 0 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 0...255, using: &random)
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            peer.send(bytes: Array(bytes[..<cut]))
            peer.send(bytes: Array(bytes[cut...]))
            if let call = recorders.all.randomElement(using: &random) { self.act(on: call, &random) }
        }
        peer.close()
        for call in recorders.all {
            #expect(call.closed.count == 1)
            #expect(call.eventsAfterClose == 0)
        }
        #expect(peer.connection.openStreams == 0)
    }

    @Test(arguments: 0..<200)
    func `Random frames to a client`(seed: Int) throws {
        var random = SeededGenerator(seed)
        let peer = try RawPeer(.client(HTTP2ClientConfiguration()))
        var calls: [Recorder] = []
        peer.send(.settings, .settingsAck)
        for _ in 0..<60 where peer.channel.isActive {
            if Bool.random(using: &random) {
                let call = Recorder()
                call.stream = try? peer.connection.openStream(call)
                if call.stream != nil {
                    calls.append(call)
                    call.stream?.sendHeaders(.request(), endStream: Bool.random(using: &random))
                    peer.run()
                }
            }
            var frame = self.frame(&random)
            if frame.type == 1, Bool.random(using: &random) {
                frame.payload = RawPeer.hpack([(":status", Bool.random(using: &random) ? "200" : "100")])
            }
            peer.send(frame)
            if let call = calls.randomElement(using: &random), Int.random(in: 0..<9, using: &random) == 0 {
                call.stream?.reset(.cancel)
            }
        }
        peer.close()
        for call in calls {
            #expect(call.closed.count == 1)
            #expect(call.eventsAfterClose == 0)
        }
    }

    @Test(arguments: 0..<100)
    func `Garbage after the preface`(seed: Int) throws {
        var random = SeededGenerator(seed)
        let recorders = RecorderList()
        let peer = try RawPeer(.server(HTTP2ServerConfiguration(), acceptor: recorders.accept))
        peer.send(bytes: RawPeer.Frame.preface)
        if Bool.random(using: &random) { peer.send(.settings) }
        for _ in 0..<10 { peer.send(bytes: (0..<50).map { _ in UInt8.random(in: 0...255, using: &random) }) }
        peer.close()
        for call in recorders.all { #expect(call.closed.count == 1) }
    }
}
