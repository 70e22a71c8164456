import BrasaQueries
import Synchronization

/// Which indexes answered the queries of an event loop lately, by how these are laid out (`QueryShape`): a query like one
/// before it asks no lock, and hashes and builds no definition. A plan holds until an index comes or goes.
///
/// `@unchecked Sendable`: it belongs to one event loop, which alone uses it; others hold on to it at most.
package final class PlanCache: @unchecked Sendable {
    /// An object, which is looked at where it is and moved as one reference.
    private final class Entry {
        /// Not the query, whose values may be large.
        let shape: QueryShape
        let layouts: [ConjunctionLayout]
        let choices: [RememberedChoice]
        let generation: Int

        init(shape: QueryShape, layouts: [ConjunctionLayout], choices: [RememberedChoice], generation: Int) {
            self.shape = shape
            self.layouts = layouts
            self.choices = choices
            self.generation = generation
        }
    }

    /// The latest first.
    private var entries: [Entry] = []

    /// Past this the one that was used least lately is forgotten.
    static let countMax = 32

    package init() {}

    var count: Int { self.entries.count }

    /// The plan of a query like this one; nil when there was none lately, or an index has come or gone since.
    func find(_ query: Query, in database: DatabaseHandle, generation: Int) -> Planner.Known? {
        guard let place = self.entries.firstIndex(where: { $0.shape.isOf(query) }) else { return nil }
        let entry = self.entries[place]
        guard entry.generation == generation else { return nil }
        if place > 0 {
            self.entries.remove(at: place)
            self.entries.insert(entry, at: 0)
        }
        var choices: [IndexChoice] = []
        choices.reserveCapacity(entry.choices.count)
        for remembered in entry.choices {
            guard let choice = remembered.choice(in: database) else { return nil }
            choices.append(choice)
        }
        return Planner.Known(layouts: entry.layouts, choices: choices)
    }

    /// `generation` is that of before the indexes were looked for.
    func remember(_ query: Query, _ known: Planner.Known, generation: Int) {
        self.entries.removeAll { $0.shape.isOf(query) }
        if self.entries.count >= Self.countMax { self.entries.removeLast() }
        let choices = known.choices.map { RememberedChoice($0) }
        let entry = Entry(shape: QueryShape(query), layouts: known.layouts, choices: choices, generation: generation)
        self.entries.insert(entry, at: 0)
    }
}

/// The indexes that a conjunction is read from; none when none helps.
struct IndexChoice: Sendable {
    struct Access: Sendable {
        let index: Index
        /// Which known parts its keys begin with.
        let bound: [Int]
    }

    var accesses: [Access] = []
    /// Whether no other index would be better.
    var isIdeal = false
    /// Whether all known parts are in one of them.
    var isComplete = false
}

/// The same without a hold on the indexes, which may be gone.
private struct RememberedChoice {
    private struct Access {
        weak var index: Index?
        let bound: [Int]
    }

    private let accesses: [Access]
    private let isIdeal: Bool
    private let isComplete: Bool

    init(_ choice: IndexChoice) {
        self.accesses = choice.accesses.map { Access(index: $0.index, bound: $0.bound) }
        self.isIdeal = choice.isIdeal
        self.isComplete = choice.isComplete
    }

    /// Nil when one is not there any more, or was of another database.
    func choice(in database: DatabaseHandle) -> IndexChoice? {
        var choice = IndexChoice(isIdeal: self.isIdeal, isComplete: self.isComplete)
        choice.accesses.reserveCapacity(self.accesses.count)
        for access in self.accesses {
            guard let index = access.index, index.database == database, !index.counts.isOverflowing else { return nil }
            choice.accesses.append(IndexChoice.Access(index: index, bound: access.bound))
        }
        return choice
    }
}
