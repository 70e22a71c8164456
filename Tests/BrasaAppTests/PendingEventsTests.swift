import BrasaApp
import Testing

@Suite("Events that wait")
struct PendingEventsTests {
    /// Events are sums of those that became one; negative ones stay by themselves.
    private func append(_ event: Int, to events: inout PendingEvents<Int>) -> Bool {
        events.append(event) { last, new in last < 0 || new < 0 ? nil : last + new }
    }

    @Test("Past the bound the newest two become one, where they can, and the order stays")
    func bounded() {
        var events = PendingEvents<Int>(countMax: 3)
        let isMore = [1, 2, 3, 4, 5, -6, 7, 8].map { self.append($0, to: &events) }
        #expect(isMore == [true, true, true, false, false, true, true, false])
        var told: [Int] = []
        while let event = events.next() { told.append(event) }
        #expect(told == [1, 2, 12, -6, 15])
        #expect(events.isEmpty && events.next() == nil)
    }
}
