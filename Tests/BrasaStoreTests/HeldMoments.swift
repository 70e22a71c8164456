import BrasaDocuments
import BrasaQueries
import BrasaQueryModel

@testable import BrasaStore

/// Moments of a database that somebody holds while the past goes, with what a query has to find there.
struct HeldMoments {
    private struct Held {
        let pin: SnapshotPin
        /// Holds against pressure as well.
        let isFirm: Bool
        let expected: [ModelDocument]
    }

    private static let heldMax = 4

    private let store: Store
    private let database: DatabaseHandle
    private let query: Query
    private let model: QueryModel
    private var held: [Held] = []

    init(_ store: Store, _ database: DatabaseHandle, _ query: Query, _ model: QueryModel) {
        self.store = store
        self.database = database
        self.query = query
        self.model = model
    }

    /// What all documents were is asked for now; when too many moments are held, the oldest goes.
    mutating func hold(_ time: Timestamp, isFirm: Bool) throws {
        let pin = try self.database.history.pin(time.microseconds, isFirm: isFirm)
        var scan = try self.store.scan(range("", nil, all: true), in: self.database, at: time)
        let documents = try scan.next(.max).compactMap { entry in
            entry.document.map { ModelDocument(path: entry.path, entries: $0.fields.decoded) }
        }
        if self.held.count == Self.heldMax { self.held.removeFirst() }
        self.held.append(Held(pin: pin, isFirm: isFirm, expected: self.model.ordered(documents)))
    }

    mutating func letOneGo(_ random: inout SeededRandom) {
        if !self.held.isEmpty { self.held.remove(at: random.below(self.held.count)) }
    }

    /// What is wrong with one of them; nil when nothing is, or when pressure has made it go.
    mutating func failure(_ random: inout SeededRandom) throws -> String? {
        guard !self.held.isEmpty else { return nil }
        let index = random.below(self.held.count)
        let held = self.held[index]
        do throws(StoreError) {
            var scan = try self.store.query(self.query, in: self.database, at: held.pin.time)
            var found: [ModelDocument] = []
            while !scan.isAtEnd {
                found += try scan.next(100).map { ModelDocument(path: $0.path, entries: $0.document.fields.decoded) }
            }
            guard found != held.expected else { return nil }
            return "found \(found.map(\.path)) at a moment that is held, instead of \(held.expected.map(\.path))"
        } catch {
            guard error.code == .readTimeTooOld else { throw error }
            self.held.remove(at: index)
            return held.isFirm || self.isRoomy ? "a moment that is held is gone" : nil
        }
    }

    private var isRoomy: Bool { self.store.configuration.historyBytesMax == Store.Configuration().historyBytesMax }
}
