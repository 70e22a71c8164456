import NIOCore
import Testing

@testable import BrasaGRPC

/// What the two directions of a call decide, without a connection.
@Suite struct MachineTests {
    /// What is handed over, as text: a message's bytes, `end`, `cut`.
    private func steps(_ machine: inout GRPCReceiving) throws -> [String] {
        var steps: [String] = []
        while true {
            switch try machine.next() {
            case .message(let message): steps.append("\(Array(message.payload.readableBytesView))")
            case .end: steps.append("end")
            case .truncated: return steps + ["cut"]
            case .nothing: return steps
            }
        }
    }

    private func machine(begun: Bool = true) -> GRPCReceiving {
        var machine = GRPCReceiving(messageBytesMax: 100)
        if begun { _ = machine.begin() }
        return machine
    }

    @Test func `Messages come in order, then the end, once`() throws {
        var machine = self.machine()
        #expect(machine.received(ByteBuffer(bytes: framed([1]) + framed([2]) + [0, 0])) == true)
        #expect(try self.steps(&machine) == ["[1]", "[2]"])
        #expect(machine.received(ByteBuffer(bytes: framed([3]).dropFirst(2))) == true)
        machine.ended()
        #expect(machine.isWhole)
        #expect(try self.steps(&machine) == ["[3]", "end"])
        #expect(machine.phase == .handedOver)
        #expect(try self.steps(&machine) == [])
    }

    @Test func `An end within a message is told as such`() throws {
        var machine = self.machine()
        _ = machine.received(ByteBuffer(bytes: framed([1]).dropLast()))
        machine.ended()
        #expect(try self.steps(&machine) == ["cut"])
    }

    @Test(arguments: [false, true])
    func `What is stopped hands over nothing and gives no credit until it goes on`(isHeld: Bool) throws {
        var machine = self.machine(begun: !isHeld)
        if !isHeld { machine.pause() }
        let bytes = framed([1]) + framed([2])
        #expect(machine.received(ByteBuffer(bytes: bytes)) == true)
        machine.ended()
        #expect(machine.isStopped)
        #expect(try self.steps(&machine) == [])
        #expect(machine.takeCredit() == 0)
        let goesOn = isHeld ? machine.begin() : machine.resume()
        let goesOnAgain = isHeld ? machine.begin() : machine.resume()
        #expect(goesOn && !goesOnAgain)
        #expect(try self.steps(&machine) == ["[1]", "[2]", "end"])
        #expect(machine.takeCredit() == bytes.count)
        #expect(machine.takeCredit() == 0)
    }

    @Test func `What comes after the call is over is thrown away, and credited at once`() throws {
        var machine = self.machine()
        _ = machine.received(ByteBuffer(bytes: [0, 0, 0]))
        machine.keep(ByteBuffer(bytes: [1]))
        #expect(machine.close() == 3)
        #expect(machine.close() == 0)
        #expect(machine.received(ByteBuffer(bytes: framed([1]))) == false)
        #expect(!machine.hasRequest && machine.bufferedBytes == 0)
        #expect(machine.begin() == false)
        #expect(machine.startDelivering() == false)
        #expect(try self.steps(&machine) == [])
    }

    @Test func `Nobody delivers within a delivery`() {
        var machine = self.machine()
        #expect(machine.startDelivering() == true)
        #expect(machine.startDelivering() == false)
        machine.stopDelivering()
        #expect(machine.startDelivering() == true)
    }

    @Test func `Headers go first and once, the status last and once`() {
        var machine = GRPCSending()
        #expect(machine.begin() == true)
        #expect(machine.begin() == false)
        #expect(machine.isOpen)
        #expect(machine.finish() == true)
        #expect(machine.finish() == false)
        #expect(machine.begin() == false)
        #expect(!machine.isOpen)
        var lost = GRPCSending()
        lost.cancel()
        #expect(lost.begin() == false)
        #expect(lost.finish() == false)
        #expect(!lost.isOpen)
    }

    @Test func `What is kept is told as it changes`() {
        var kept = GRPCKeptBytes()
        kept.held = 10
        #expect(kept.takeChange(buffered: 5) == 15)
        #expect(kept.takeChange(buffered: 5) == 0)
        kept.request = 7
        #expect(kept.takeChange(buffered: 0) == 2)
        kept.letGo()
        #expect(kept.takeChange(buffered: 0) == -17)
    }
}
