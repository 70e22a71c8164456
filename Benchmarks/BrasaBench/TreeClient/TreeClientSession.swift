import BrasaDatabase
import Foundation
import Synchronization

/// The client of a plan, and what it does.
final class TreeClientSession: Sendable {
    private let plan: TreeClientPlan
    private let client: BenchDatabase
    /// Changes what the client listens to.
    private let writer: BenchDatabase
    private let padding: String
    /// Who waits for a leaf to have a value, which is another one each time.
    private let waiting = Mutex<[String: CheckedContinuation<Void, any Error>]>([:])

    init(_ plan: TreeClientPlan) throws {
        self.plan = plan
        self.client = try BenchDatabase("bench-client", host: plan.host, port: plan.port)
        self.writer = try BenchDatabase("bench-writer", host: plan.host, port: plan.port)
        self.padding = String(repeating: "x", count: plan.valueBytes)
    }

    private var node: DatabaseReference { self.client.database.reference(withPath: TreeClientPlan.node) }

    /// Increments have a node of their own.
    private var counts: DatabaseReference { self.client.database.reference(withPath: "counts") }

    // MARK: Before and after the measurement

    /// Writes the leaves, and lets the client be connected and listen to what it shall.
    func prepare() async throws {
        // There may be others of an earlier measurement.
        try await self.writer.database.reference(withPath: TreeClientPlan.node).removeValue()
        // As `TreeWriter` has them, with a time that is none.
        try await self.writer.write(self.plan.leaves, below: TreeClientPlan.node) { self.value("0-0-\($0)-") }
        _ = try await self.node.child(BenchDatabase.leaf(0)).getData()
        guard self.plan.work == .change else { return }
        self.node.observe(.childChanged) { snapshot in
            guard let value = snapshot.value as? String else { return }
            self.waiting.withLock { $0.removeValue(forKey: value) }?.resume()
        }
        try await self.first()
    }

    func close() async {
        await self.client.close()
        await self.writer.close()
    }

    // MARK: Calls

    /// One call. `number` is another one for each, so that writes change what they write.
    func call(_ number: Int) async throws {
        let leaf = BenchDatabase.leaf(Int.random(in: 0..<self.plan.leaves))
        switch self.plan.work {
        case .set:
            try await self.node.child(leaf).setValue(self.value("\(number)-"))
        case .increment:
            try await self.counts.child(leaf).setValue(ServerValue.increment(1))
        case .transaction:
            let (isCommitted, _) = try await self.counts.child(leaf).runTransactionBlock { data in
                data.value = ((data.value as? NSNumber)?.intValue ?? 0) + 1
                return .success(withValue: data)
            }
            guard isCommitted else { throw BenchError("a transaction was not committed") }
        case .get:
            guard try await self.node.child(leaf).getData().exists() else { throw Self.lost }
        case .first:
            try await self.first()
        case .change:
            try await self.change(number)
        case .children, .values:
            throw BenchError("\(self.plan.work.rawValue) makes no calls")
        }
    }

    private static let lost = BenchError("the server has other leaves than were written")

    private func value(_ beginning: String) -> String { beginning + self.padding.dropFirst(beginning.count) }

    private func first() async throws {
        let (snapshot, _) = try await self.node.observeSingleEventAndPreviousSiblingKey(of: .value)
        guard (snapshot.value as? [String: Any])?.count == self.plan.leaves else { throw Self.lost }
    }

    private func change(_ number: Int) async throws {
        // Of each task's own, so that no other change is seen in its place.
        let leaf = BenchDatabase.leaf((number >> 32) % self.plan.leaves)
        let value = self.value("\(number)-")
        let written = self.writer.database.reference(withPath: TreeClientPlan.node).child(leaf)
        try await withCheckedThrowingContinuation { continuation in
            self.waiting.withLock { $0[value] = continuation }
            written.setValue(value) { error, _ in
                guard let error else { return }
                self.waiting.withLock { $0.removeValue(forKey: value) }?.resume(throwing: error)
            }
        }
    }

    // MARK: Events

    /// Tells the meter how long after its writing each change is heard of.
    func follow(_ meter: ClientMeter) async throws {
        switch self.plan.work {
        case .values:
            self.node.observe(.value) { snapshot in
                let leaves = (snapshot.value as? [String: Any])?.values.compactMap { $0 as? String }
                // Times have as many digits, so the newest is the greatest.
                if let latency = TreeWriter.latency(of: leaves?.max()) { meter.record(latency) }
            }
        default:
            self.node.observe(.childChanged) { snapshot in
                if let latency = TreeWriter.latency(of: snapshot.value as? String) { meter.record(latency) }
            }
        }
        try await self.first()
    }
}
