import BrasaTree
import Synchronization

/// An event for all streams that tell it: it becomes text once, if that is short and there is room to keep it.
package final class TreeToldEvent: Sendable {
    package let event: TreeEvent
    private let form: TreeEmitter.Form
    private let room: TreeTextRoom?
    private let kept = Mutex<[UInt8]?>(nil)

    /// - Parameter room: nil where nobody else tells it.
    init(_ event: TreeEvent, _ form: TreeEmitter.Form, _ room: TreeTextRoom?) {
        self.event = event
        self.form = form
        self.room = room
    }

    deinit {
        if let count = self.kept.withLock({ $0?.count }) { self.room?.giveBack(count) }
    }

    /// As it is sent: the first piece, and what is left of it.
    package func begin() -> (piece: [UInt8], rest: TreeOutput?) {
        if let text = self.text { return (text, nil) }
        var output = self.event.output(self.form)
        let piece = output.next() ?? []
        guard output.isComplete else { return (piece, output) }
        self.keep(piece)
        return (piece, nil)
    }

    /// Where it was made and kept.
    var text: [UInt8]? { self.kept.withLock { $0 } }

    private func keep(_ text: [UInt8]) {
        guard let room = self.room else { return }
        self.kept.withLock { kept in
            if kept == nil, room.take(text.count) { kept = text }
        }
    }
}

/// What the event streams of one loop keep of texts that several of them tell. Where there is none left, each makes its own.
final class TreeTextRoom: Sendable {
    static let bytesMax = 4 << 20

    private let bytes = Atomic<Int>(0)

    /// Of all texts that are kept now.
    var taken: Int { self.bytes.load(ordering: .relaxed) }

    func take(_ count: Int) -> Bool {
        guard self.bytes.add(count, ordering: .relaxed).newValue > Self.bytesMax else { return true }
        self.giveBack(count)
        return false
    }

    func giveBack(_ count: Int) {
        self.bytes.subtract(count, ordering: .relaxed)
    }
}
