internal import BrasaDocuments

extension ResultSet {
    /// What distinguishes two states of the results.
    struct Transition {
        private(set) var removed: [Entry] = []
        private(set) var added: [Entry] = []
        private(set) var modified: [(old: Entry, new: Entry)] = []

        /// By how many results there are more.
        var growth: Int { self.added.count - self.removed.count }

        mutating func add(old: Entry?, new: Entry?) {
            switch (old, new) {
            case (nil, nil): break
            case (nil, let new?): self.added.append(new)
            case (let old?, nil): self.removed.append(old)
            case (let old?, let new?):
                if old.document != new.document { self.modified.append((old, new)) }
            }
        }

        /// Leaves out the last results of the state that this leads to from `entries`.
        mutating func drop(_ count: Int, lastOf entries: [Entry]) {
            var changed = Set(self.removed.map(\.path))
            changed.formUnion(self.modified.map(\.old.path))
            // All but the last few of the entries that stay come before what is dropped.
            var last = Array(entries.reversed().lazy.filter { !changed.contains($0.path) }.prefix(count))
            last += self.added
            last += self.modified.map(\.new)
            last.sort { $0.key < $1.key }
            for entry in last.suffix(count) { self.drop(entry) }
        }

        private mutating func drop(_ entry: Entry) {
            if let index = self.added.firstIndex(where: { $0.path == entry.path }) {
                self.added.remove(at: index)
            } else if let index = self.modified.firstIndex(where: { $0.new.path == entry.path }) {
                self.removed.append(self.modified.remove(at: index).old)
            } else {
                self.removed.append(entry)
            }
        }
    }
}
