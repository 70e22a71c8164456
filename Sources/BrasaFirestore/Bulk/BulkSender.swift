internal import BrasaDocuments
internal import BrasaStatus
internal import BrasaSync

/// Sends a bulk writer's writes: in batches, no faster than the rate allows, some batches at a time.
actor BulkSender {
    /// Writes that are not finished; past it `add` waits.
    static let unfinishedMax = 10_000
    static let batchesInFlightMax = 16

    private let firestore: Firestore
    private let calls: any DatastoreCalls
    private let gate: CallGate
    private let options: BulkWriterOptions
    private let unfinishedMax: Int
    private var queue = BulkQueue()
    private var rate: BulkRate
    private var unfinished = 0
    private var lastNumber = 0
    private var batchesInFlight = 0
    private var isSending = false
    private var isClosed = false
    /// As many as there are tasks in `add`.
    private var waitingForRoom: [Pause] = []
    private var flushes: [Flush] = []

    /// Somebody who waits for the writes up to a number.
    private struct Flush {
        let upTo: Int
        var remaining: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    init(
        firestore: Firestore,
        calls: any DatastoreCalls,
        gate: CallGate,
        options: BulkWriterOptions,
        unfinishedMax: Int = BulkSender.unfinishedMax
    ) {
        self.firestore = firestore
        self.calls = calls
        self.gate = gate
        self.options = options
        self.unfinishedMax = unfinishedMax
        self.rate = BulkRate(initial: max(options.initialWritesPerSecond, 1), now: ContinuousClock().now)
    }

    /// Waits while there is no room. What throws has not been added.
    func add(_ write: Write) async throws(SyncError) -> BulkWriteReceipt {
        try self.checkTakesMore()
        while self.unfinished >= self.unfinishedMax {
            let room = Pause()
            self.waitingForRoom.append(room)
            await room.wait()
            guard !Task.isCancelled else { throw self.leave(room) }
            try self.checkTakesMore()
        }
        self.lastNumber += 1
        self.unfinished += 1
        let operation = BulkOperation(number: self.lastNumber, write: write, receipt: BulkWriteReceipt())
        self.queue.append(operation)
        self.sendSoon()
        return operation.receipt
    }

    private func checkTakesMore() throws(SyncError) {
        try self.gate.checkEnd()
        guard !self.isClosed else { throw SyncError(.failedPrecondition, "The bulk writer has been closed.") }
    }

    var waitingForRoomCount: Int { self.waitingForRoom.count }

    /// Whoever was given room and does not need it any more gives it on.
    private func leave(_ room: Pause) -> SyncError {
        if let index = self.waitingForRoom.firstIndex(where: { $0 === room }) {
            self.waitingForRoom.remove(at: index)
        } else {
            self.giveRoom()
        }
        return .taskCancelled
    }

    /// To one task; when no write is taken any more, that is news for all.
    private func giveRoom() {
        let count = self.isClosed || self.gate.isEnded ? self.waitingForRoom.count : min(self.waitingForRoom.count, 1)
        for room in self.waitingForRoom.prefix(count) { room.end() }
        self.waitingForRoom.removeFirst(count)
    }

    /// Returns when all writes that were added before are finished.
    func flush() async {
        guard self.unfinished > 0 else { return }
        let (upTo, remaining) = (self.lastNumber, self.unfinished)
        await withCheckedContinuation { continuation in
            self.flushes.append(Flush(upTo: upTo, remaining: remaining, continuation: continuation))
        }
    }

    func close() async {
        self.isClosed = true
        self.giveRoom()
        await self.flush()
    }

    private func sendSoon() {
        guard !self.isSending else { return }
        self.isSending = true
        self.detach { await $0.sendAll() }
    }

    /// A batch has the writes of many tasks: what one of them has of its own, as the span that a call belongs to, is not theirs.
    private func detach(_ work: @escaping @Sendable (BulkSender) async -> Void) {
        Task.detached(priority: Task.currentPriority) { await work(self) }
    }

    private func sendAll() async {
        while self.batchesInFlight < Self.batchesInFlightMax {
            let batch = self.queue.nextBatch()
            if batch.isEmpty { break }
            self.batchesInFlight += 1
            // At the client's end nothing is sent any more, and all writes fail at once.
            while !self.gate.isEnded, let wait = self.rate.take(batch.count, now: ContinuousClock().now) {
                try? await self.gate.sleep(wait)
            }
            self.detach { await $0.send(batch) }
        }
        self.isSending = false
    }

    /// Waits while the network is disabled: that is no failed attempt.
    private func send(_ batch: [BulkOperation]) async {
        let results: [Result<BrasaDocuments.Timestamp?, CallFailure>]
        do throws(CallFailure) {
            try await self.gate.passing()
            results = try await self.calls.batchWrite(batch.map(\.write)).map { result in
                result.mapError { CallFailure($0, mayHaveBeenApplied: !$0.code.isRefusal) }
            }
        } catch {
            results = batch.map { _ in .failure(error) }
        }
        self.batchesInFlight -= 1
        for (index, operation) in batch.enumerated() {
            let missing = CallFailure(SyncError(.internal, "The server gave no result."), mayHaveBeenApplied: true)
            self.answered(operation, index < results.count ? results[index] : .failure(missing))
        }
        self.sendSoon()
    }

    private func answered(_ operation: BulkOperation, _ result: Result<BrasaDocuments.Timestamp?, CallFailure>) {
        switch result {
        case .success(let time): self.finish(operation, .success(time.map { Timestamp($0) }))
        case .failure(let failure):
            var operation = operation
            operation.attempts += 1
            if failure.mayHaveBeenApplied { operation.doubt = failure.error }
            guard self.mayRetry(operation, failure) else {
                // That it was not sent again does not mean that it was not applied.
                let doubt = self.gate.isEnded ? operation.doubt : nil
                return self.finish(operation, .failure(doubt ?? failure.error))
            }
            let delay = operation.backoff.next()
            let again = operation
            self.detach { sender in
                try? await sender.gate.sleep(delay)
                await sender.retry(again)
            }
        }
    }

    private func retry(_ operation: BulkOperation) {
        self.queue.append(operation)
        self.queue.release(operation.path)
        self.sendSoon()
    }

    private func finish(_ operation: BulkOperation, _ result: Result<Timestamp?, SyncError>) {
        operation.receipt.give(result)
        self.queue.release(operation.path)
        self.unfinished -= 1
        self.giveRoom()
        for index in self.flushes.indices where operation.number <= self.flushes[index].upTo {
            self.flushes[index].remaining -= 1
        }
        for flush in self.flushes where flush.remaining == 0 { flush.continuation.resume() }
        self.flushes.removeAll { $0.remaining == 0 }
    }

    /// What may have been applied is tried again only when twice is the same as once.
    private func mayRetry(_ operation: BulkOperation, _ failure: CallFailure) -> Bool {
        guard operation.attempts < self.options.maxAttempts, !self.gate.isEnded else { return false }
        let isUncertain = failure.mayHaveBeenApplied && !operation.write.isIdempotent
        if let shouldRetry = self.options.shouldRetry {
            return shouldRetry(
                BulkWriteFailure(
                    document: DocumentReference(firestore: self.firestore, path: operation.path),
                    code: failure.error.firestoreCode,
                    message: failure.error.message,
                    attempts: operation.attempts,
                    mayHaveBeenApplied: isUncertain
                )
            )
        }
        return !isUncertain && (failure.error.code == .aborted || !failure.error.code.isPermanent)
    }
}

extension Write {
    /// Whether a document that has it twice is as if it had it once.
    fileprivate var isIdempotent: Bool {
        guard self.precondition == nil || self.precondition == .exists(true) else { return false }
        if case .delete = self.operation, self.precondition != nil { return false }
        return self.transforms.allSatisfy { transform in
            switch transform.operation {
            case .increment: false
            case .requestTime, .maximum, .minimum, .appendMissingElements, .removeAllFromArray: true
            }
        }
    }
}
