import NIOCore
import Testing

@testable import BrasaHTTP2

@Suite struct HTTP2HeadersTests {
    @Test func `Fields keep their order and are found by name`() {
        var headers = HTTP2Headers([(.status, "200"), (.contentType, "a")])
        headers.append(name: Array("x-bin".utf8), value: [0, 255])
        headers.append(.contentType, "b")
        headers.append(.grpcMessage, "")
        #expect(headers.count == 5)
        #expect(headers.string(.contentType) == "a")
        #expect(headers["x-bin"].map(Array.init) == [0, 255])
        #expect(headers[.grpcMessage]?.isEmpty == true)
        #expect(headers[.path] == nil && !headers.contains("x-bi"))
        #expect(Array(headers[3].value) == Array("b".utf8))
        #expect(headers.withValue(.status) { $0?.count } == 3)
        #expect(headers.listBytes == 5 * 32 + 10 + 13 + 7 + 13 + 12)
    }

    @Test func `A copy does not change with its original`() {
        var original = HTTP2Headers([(.path, "/a")])
        let copy = original
        original.removeAll()
        original.append(.path, "/b")
        #expect(copy.string(.path) == "/a")
        #expect(original.string(.path) == "/b")
    }
}

@Suite struct OutboundQueueTests {
    @Test(arguments: 0..<20)
    func `Bytes leave in the order in which they came`(seed: Int) {
        var random = SeededGenerator(seed)
        var queue = OutboundQueue()
        var expected: [UInt8] = []
        var moved = ByteBuffer()
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            expected += bytes
            queue.append(ByteBuffer(bytes: bytes))
            if Int.random(in: 0..<5, using: &random) == 0 {
                queue.move(Int.random(in: 0...queue.readableBytes, using: &random), to: &moved)
            }
            #expect(queue.readableBytes == expected.count - moved.readableBytes)
        }
        queue.move(queue.readableBytes, to: &moved)
        #expect(Array(moved.readableBytesView) == expected)
    }
}

@Suite struct RateBudgetTests {
    @Test func `A budget lasts a second`() {
        var budget = RateBudget(perSecond: 3)
        var now = NIODeadline.uptimeNanoseconds(5)
        #expect((0..<4).map { _ in budget.spend(now: now) } == [true, true, true, false])
        now = now + .milliseconds(999)
        #expect((0..<1).map { _ in budget.spend(now: now) } == [false])
        now = now + .milliseconds(1)
        #expect((0..<4).map { _ in budget.spend(now: now) } == [true, true, true, false])
    }

    @Test func `Earning never goes beyond a second's budget`() {
        var budget = RateBudget(perSecond: 3)
        let now = NIODeadline.uptimeNanoseconds(0)
        budget.earn(10)
        #expect((0..<4).map { _ in budget.spend(now: now) } == [true, true, true, false])
        budget.earn(2)
        #expect((0..<3).map { _ in budget.spend(now: now) } == [true, true, false])
    }
}

@Suite struct ReceiveWindowTests {
    private func take(_ window: inout ReceiveWindow) -> Int? { window.takeUpdate() }

    @Test func `Half of the window is given back at a time`() {
        var window = ReceiveWindow(size: 100)
        window.received(60)
        window.consumed(39)
        #expect(take(&window) == nil)
        window.consumed(11)
        #expect(take(&window) == 50)
        #expect(take(&window) == nil)
        #expect(window.unconsumedBytes == 10)
    }

    @Test func `A peer with little left gets what there is`() {
        var window = ReceiveWindow(size: 100)
        window.received(95)
        window.consumed(4)
        #expect(take(&window) == nil)
        window.consumed(1)
        #expect(take(&window) == 5)
    }

    @Test func `What others have counted and nobody holds is given back`() {
        var window = ReceiveWindow(size: 100)
        window.received(30)
        window.settle(outstandingBytes: 70)
        #expect(window.unconsumedBytes == 30)
        #expect(take(&window) == 40)
        window.settle(outstandingBytes: 10)
        #expect(window.unconsumedBytes == 30 && take(&window) == nil)
    }

    @Test func `No more is consumed than was received`() {
        var window = ReceiveWindow(size: 10)
        window.received(10)
        window.consumed(.max)
        #expect(take(&window) == 10)
        window.consumed(5)
        #expect(take(&window) == nil)
    }
}
