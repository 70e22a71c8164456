import BrasaDocuments
import BrasaStore

/// A client that works off a queue: it asks for the next job, does it, puts it off or adds another, and goes on for a while.
/// What it has done stays before the next job as keys that ended, which queries have to pass by, now and in the past.
final class QueueWorker: @unchecked Sendable {
    // Sendable, because one thread runs the simulation.

    private let client: SimulatedClient
    private var left: Int

    init(_ client: SimulatedClient) {
        self.client = client
        self.left = 2 + client.random(6)
    }

    func goOn() throws {
        guard self.left > 0 else { return self.client.finish() }
        self.left -= 1
        let time = self.client.server.store.strongReadTime()
        let next = try self.client.query(ModelQuery.nextJob, at: time, isStrong: true).first
        switch self.client.random(6) {
        case 0: try self.client.query(ModelQuery.nextJob, at: self.client.pastTime(), isStrong: false)
        case 1: try self.client.count(ModelQuery.allJobs, at: self.client.pastTime())
        case 2: try self.client.count(ModelQuery.allJobs, at: time)
        default: break
        }
        self.client.commit([self.write(next?.document)]) { error in
            if error == nil { try self.goOn() } else { self.client.finish() }
        }
    }

    private func write(_ next: Int?) -> ModelWrite {
        let simulation = self.client.simulation
        // Later jobs have larger numbers.
        let another = ModelWrite(
            document: ModelWorld.jobs.lowerBound + self.client.random(ModelWorld.jobs.count),
            operation: .set(number: Int64(simulation.step)),
            writer: simulation.nextWriter()
        )
        guard let next else { return another }
        switch self.client.random(10) {
        case ..<4: return another
        case ..<8: return ModelWrite(document: next, operation: .delete, writer: another.writer)
        default: return ModelWrite(document: next, operation: .increment(100), writer: another.writer)
        }
    }
}

extension SimulatedClient {
    /// Counts what a query without a limit finds, and checks that.
    func count(_ index: Int, at time: Timestamp) throws {
        let query = self.checker.queries[index].query
        var scan = try self.server.store.query(query, in: self.simulation.database, at: time, isAnyOrder: true)
        var count = 0
        while !scan.isAtEnd { count += try scan.skip(.max) }
        self.simulation.noteQuery(scan)
        try self.checker.checkCount(index, count, at: time)
    }
}
