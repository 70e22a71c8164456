import BrasaHTTP2
import NIOCore
import Testing

@testable import BrasaGRPC

/// What the receiving side of a client's call decides, without a connection.
@Suite struct ClientMachineTests {
    private static let trailers = HTTP2Headers([(.grpcStatus, "0")])

    /// What is handed over, as text: a message's bytes, `end`, `cut`.
    private func steps(_ machine: inout GRPCClientReceiving) throws -> [String] {
        var steps: [String] = []
        while true {
            switch try machine.next() {
            case .message(let message): steps.append("\(Array(message.payload.readableBytesView))")
            case .end(let trailers): return steps + [trailers.string(.grpcStatus) == "0" ? "end" : "end without status"]
            case .truncated: return steps + ["cut"]
            case .nothing: return steps
            }
        }
    }

    @Test func `Messages come in order, then the end with its trailers`() throws {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        machine.received(ByteBuffer(bytes: framed([1]) + framed([2]) + [0, 0]))
        #expect(try self.steps(&machine) == ["[1]", "[2]"])
        machine.received(ByteBuffer(bytes: framed([3]).dropFirst(2)))
        machine.ended(Self.trailers)
        machine.ended(HTTP2Headers())
        #expect(try self.steps(&machine) == ["[3]", "end"])
        #expect(machine.messages == 3)
    }

    @Test func `An end within a message is told as such`() throws {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        machine.received(ByteBuffer(bytes: framed([1]).dropLast()))
        machine.ended(Self.trailers)
        #expect(try self.steps(&machine) == ["cut"])
    }

    @Test func `A caller that takes nothing keeps what has come, and its credit`() throws {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        let bytes = framed([1]) + framed([2])
        machine.pause()
        machine.received(ByteBuffer(bytes: bytes))
        #expect(!machine.isKept)
        machine.ended(Self.trailers)
        #expect(machine.isKept)
        #expect(try self.steps(&machine) == [])
        #expect(machine.takeCredit() == 0)
        #expect(machine.resume() == true)
        #expect(machine.resume() == false)
        #expect(try self.steps(&machine) == ["[1]", "[2]", "end"])
        #expect(machine.takeCredit() == bytes.count)
    }

    @Test func `The start of a message is credited, since it may be larger than the window`() throws {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        machine.received(ByteBuffer(bytes: [0, 0, 0, 0, 50, 1]))
        #expect(try self.steps(&machine) == [])
        #expect(machine.takeCredit() == 6)
        #expect(machine.takeCredit() == 0)
    }

    @Test func `What is handed over hands over nothing more from within`() {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        let first = machine.startDelivering()
        let inner = machine.startDelivering()
        machine.stopDelivering()
        let next = machine.startDelivering()
        #expect(first && !inner && next)
    }

    @Test func `A call that is over lets go of what has come, and gives its credit back`() throws {
        var machine = GRPCClientReceiving(messageBytesMax: 100)
        machine.pause()
        machine.received(ByteBuffer(bytes: framed([1])))
        machine.ended(Self.trailers)
        #expect(machine.close() == framed([1]).count)
        _ = machine.resume()
        #expect(try self.steps(&machine) == [])
        machine.received(ByteBuffer(bytes: framed([2])))
        machine.ended(Self.trailers)
        #expect(!machine.isKept)
        #expect(try self.steps(&machine) == [])
        #expect(machine.startDelivering() == false)
        #expect(machine.close() == 0)
    }
}
