import BrasaDatabase
import Foundation

/// What an observer of a query is shown, and what its child events make of it.
final class WorkerObserver {
    /// Nil until there is a first value.
    private var value: DataSnapshot?
    /// By the child events alone.
    private var children: [String: Data] = [:]
    /// Which children the events since the last value have told of, and which they have placed last, and behind which.
    private var touched: Set<String> = []
    private var placed: (key: String, previous: String?)?
    /// The first thing that does not go together.
    private var fault: String?
    private let query: DatabaseQuery
    private var handles: [DatabaseHandle] = []

    init(_ query: DatabaseQuery, _ tell: ((Any) -> Void)?) {
        self.query = query
        let fail: (any Error) -> Void = { self.fail("the observer has ended: \($0)") }
        // Additions late and values last: the others may come before them, of children that are told then.
        self.handles = [
            query.observe(.childRemoved, with: { self.remove($0) }, withCancel: fail),
            query.observe(.childMoved, andPreviousSiblingKeyWith: { self.move($0, behind: $1) }, withCancel: fail),
            query.observe(.childChanged, andPreviousSiblingKeyWith: { self.change($0, behind: $1) }, withCancel: fail),
            query.observe(.childAdded, andPreviousSiblingKeyWith: { self.add($0, behind: $1) }, withCancel: fail),
            query.observe(
                .value,
                with: { snapshot in
                    self.compare(snapshot)
                    self.value = snapshot
                    tell?(snapshot.value ?? NSNull())
                },
                withCancel: fail
            ),
        ]
    }

    func end() { for handle in self.handles { self.query.removeObserver(withHandle: handle) } }

    var shown: [String: Any] {
        var shown = self.value?.shown ?? [:]
        shown["fault"] = self.fault
        return shown
    }

    private func fail(_ message: String) { if self.fault == nil { self.fault = message } }

    private func add(_ child: DataSnapshot, behind previous: String?) {
        if self.children.updateValue(child.text, forKey: child.key) != nil { self.fail("\(child.key) is added twice") }
        self.place(child, behind: previous)
    }

    private func place(_ child: DataSnapshot, behind previous: String?) {
        self.touched.insert(child.key)
        self.placed = (child.key, previous)
    }

    /// Before the first value others than additions may be of children that are not told yet.
    private func isKnown(_ child: DataSnapshot, _ what: String) -> Bool {
        let isKnown = self.children[child.key] != nil
        if !isKnown, self.value != nil { self.fail("\(child.key) is \(what), and is not there") }
        return isKnown
    }

    private func remove(_ child: DataSnapshot) {
        self.touched.insert(child.key)
        if self.isKnown(child, "removed") { self.children[child.key] = nil }
    }

    private func move(_ child: DataSnapshot, behind previous: String?) {
        if self.isKnown(child, "moved") { self.place(child, behind: previous) }
    }

    private func change(_ child: DataSnapshot, behind previous: String?) {
        guard self.isKnown(child, "changed") else { return }
        self.children[child.key] = child.text
        self.place(child, behind: previous)
    }

    /// No child event is lost: together they are the value, and each has said where in it its child is.
    private func compare(_ snapshot: DataSnapshot) {
        let children = snapshot.childSnapshots
        let keys = children.map(\.key)
        if Dictionary(zip(keys, children.map(\.text)), uniquingKeysWith: { $1 }) != self.children {
            self.fail("the children are \(keys), their events have made others of \(self.children.keys.sorted())")
        }
        defer { (self.touched, self.placed) = ([], nil) }
        // Several steps may have gone before the first value, and before others where this is slow: what one of them has said of
        // a child's place may not be so after the next. Where they are of one child alone, the last is.
        guard self.value != nil, self.touched.count == 1, let (key, previous) = self.placed else { return }
        guard let index = keys.firstIndex(of: key) else { return }
        if previous != (index == 0 ? nil : keys[index - 1]) {
            self.fail("\(key) was told behind \(previous ?? "nothing"), the order is \(keys)")
        }
    }
}

extension DataSnapshot {
    fileprivate var childSnapshots: [DataSnapshot] { self.children.allObjects.compactMap { $0 as? DataSnapshot } }

    /// With priorities, so that equal texts are equal nodes.
    fileprivate var text: Data {
        let box = ["": self.valueInExportFormat() ?? NSNull()]
        do {
            return try JSONSerialization.data(withJSONObject: box, options: .sortedKeys)
        } catch {
            stop("a snapshot is no JSON: \(error)")
        }
    }

    /// For the test.
    var shown: [String: Any] {
        [
            "value": self.value ?? NSNull(), "export": self.valueInExportFormat() ?? NSNull(),
            "priority": self.priority ?? NSNull(), "keys": self.childSnapshots.map(\.key),
        ]
    }
}
