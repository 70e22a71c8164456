import BrasaTreeWire
import Testing

/// What is replied to which request, and when, under a simulated clock.
struct PollMachineTests {
    private func text(_ replies: [PollMachine.Reply]) -> [String] {
        replies.map { reply in
            let messages = reply.messages.map { String(decoding: $0, as: UTF8.self) }
            return "\(reply.request):\(reply.number):\(messages.joined(separator: ","))"
        }
    }

    @Test func `A request is held until there is something to say, and all of it goes in one reply`() {
        var machine = PollMachine(milliseconds: 0)
        #expect(machine.ask(0, milliseconds: 0).isEmpty)
        machine.add(Array("a".utf8))
        machine.add(Array("b".utf8))
        #expect(self.text(machine.flush()) == ["0:0:a,b"])
        #expect(machine.flush().isEmpty)
        let isWhole = machine.finish(0, isWhole: true, milliseconds: 1)
        #expect(isWhole)
        machine.add(Array("c".utf8))
        #expect(machine.flush().isEmpty)
        #expect(self.text(machine.ask(1, milliseconds: 2)) == ["1:1:c"])
    }

    @Test func `A new request releases the one before it, and each reply has the next number`() {
        var machine = PollMachine(milliseconds: 0)
        #expect(machine.ask(0, milliseconds: 0).isEmpty)
        for request in 1...50 {
            #expect(self.text(machine.ask(request, milliseconds: 1)) == ["\(request - 1):\(request - 1):"])
        }
        machine.add(Array("a".utf8))
        #expect(self.text(machine.flush()) == ["50:50:a"])
    }

    @Test func `While nothing is looked at two requests are held, and the third releases the first`() {
        var machine = PollMachine(milliseconds: 0)
        machine.isPaused = true
        #expect(machine.ask(0, milliseconds: 0).isEmpty)
        #expect(machine.ask(1, milliseconds: 0).isEmpty)
        #expect(self.text(machine.ask(2, milliseconds: 0)) == ["0:0:"])
        // What there is to say is said.
        machine.add(Array("a".utf8))
        #expect(self.text(machine.flush()) == ["1:1:a"])
        #expect(machine.ask(3, milliseconds: 0).isEmpty)
        machine.isPaused = false
        #expect(self.text(machine.flush()) == ["2:2:"])
    }

    @Test func `A request is released after a time, and not before`() {
        var machine = PollMachine(milliseconds: 1_000)
        _ = machine.ask(0, milliseconds: 1_000)
        #expect(machine.deadline == 26_000)
        let early = machine.tick(milliseconds: 25_999)
        #expect(early.replies.isEmpty && !early.isOver)
        let late = machine.tick(milliseconds: 26_000)
        #expect(self.text(late.replies) == ["0:0:"] && !late.isOver)
        #expect(machine.tick(milliseconds: 26_001).replies.isEmpty)
    }

    @Test func `A session is over when no request has come for a time, counted from the last sign of life`() {
        var machine = PollMachine(milliseconds: 0)
        #expect(machine.deadline == 90_000)
        #expect(!machine.tick(milliseconds: 89_999).isOver)
        _ = machine.ask(0, milliseconds: 89_999)
        // Never while one is held.
        #expect(!machine.tick(milliseconds: 114_999).isOver)
        let isWhole = machine.finish(0, isWhole: true, milliseconds: 115_000)
        #expect(isWhole)
        machine.progressed(milliseconds: 120_000)
        #expect(!machine.tick(milliseconds: 209_999).isOver)
        #expect(machine.tick(milliseconds: 210_000).isOver)
    }

    @Test func `A request that is given up leaves a short time for the next`() {
        var machine = PollMachine(milliseconds: 0)
        _ = machine.ask(0, milliseconds: 0)
        let isWhole = machine.finish(0, isWhole: false, milliseconds: 100)
        #expect(isWhole)
        #expect(machine.deadline == 5_100)
        #expect(!machine.tick(milliseconds: 5_099).isOver)
        var other = machine
        #expect(machine.tick(milliseconds: 5_100).isOver)
        // One that comes in time makes it forgotten, and takes what was said meanwhile.
        other.add(Array("a".utf8))
        #expect(other.flush().isEmpty)
        #expect(self.text(other.ask(1, milliseconds: 5_099)) == ["1:0:a"])
        let isTaken = other.finish(1, isWhole: true, milliseconds: 5_099)
        #expect(isTaken)
        #expect(!other.tick(milliseconds: 95_098).isOver)
    }

    @Test func `A reply that did not get there is the end, since nobody has its number`() {
        for message in ["a", nil] {
            var machine = PollMachine(milliseconds: 0)
            _ = machine.ask(0, milliseconds: 0)
            if let message { machine.add(Array(message.utf8)) } else { _ = machine.ask(1, milliseconds: 0) }
            _ = machine.flush()
            let isWhole = machine.finish(0, isWhole: false, milliseconds: 0)
            #expect(!isWhole)
        }
    }

    @Test func `What waits and what is on its way counts until it has been taken`() {
        var limits = PollMachine.Limits()
        limits.waitingBytesMax = 10
        var machine = PollMachine(limits: limits, milliseconds: 0)
        for _ in 0..<2 { machine.add(Array("12345".utf8)) }
        #expect(machine.keptBytes == 10 && !machine.isWritable)
        #expect(machine.ask(0, milliseconds: 0).count == 1)
        #expect(machine.keptBytes == 10 && !machine.isWritable)
        let isWhole = machine.finish(0, isWhole: true, milliseconds: 0)
        #expect(isWhole)
        #expect(machine.keptBytes == 0 && machine.isWritable)
        // What nobody knows changes nothing.
        let isUnknown = machine.finish(0, isWhole: false, milliseconds: 0)
        #expect(isUnknown && machine.keptBytes == 0)
    }

    @Test func `The end is told to those who wait, with what was still to be said`() {
        var machine = PollMachine(milliseconds: 0)
        machine.isPaused = true
        _ = machine.ask(0, milliseconds: 0)
        _ = machine.ask(1, milliseconds: 0)
        machine.add(Array("a".utf8))
        #expect(machine.end().map { self.text([$0]) } == ["0:0:a"])
        #expect(machine.end().map { self.text([$0]) } == ["1:1:"])
        #expect(machine.end() == nil)
    }
}
