import BrasaDocuments
import BrasaSync
import Testing

@Suite struct PendingTimestampTests {
    @Test func `A pending timestamp sorts after every timestamp and before strings, by its local time`() {
        let early = PendingTimestamp(localWriteTime: Timestamp(microseconds: 1), replacing: nil).value
        let late = PendingTimestamp(localWriteTime: Timestamp(microseconds: 2), replacing: .integer(1)).value
        let sorted: [Value] = [.timestamp(.latest), early, late, .string(""), .map([])]
        for (index, left) in sorted.enumerated() {
            for (other, right) in sorted.enumerated() {
                let wanted = Ordering(index, other)
                #expect(Value.compare(left, right) == wanted)
                #expect(Ordering(OrderPreservingKey(left), OrderPreservingKey(right)) == wanted)
            }
        }
    }

    @Test func `A pending timestamp remembers the last value that was none`() {
        let first = PendingTimestamp(localWriteTime: Timestamp(microseconds: 1), replacing: .integer(7)).value
        let second = PendingTimestamp(localWriteTime: Timestamp(microseconds: 2), replacing: first).value
        #expect(second.pendingTimestamp?.previous == .integer(7))
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "a", value: second)])
        #expect(fields.value(at: FieldPath.a)?.pendingTimestamp?.localWriteTime == Timestamp(microseconds: 2))
    }
}

extension FieldPath {
    fileprivate static var a: FieldPath { get { (try? FieldPath(parsing: "a".utf8)) ?? .documentName } }
}
