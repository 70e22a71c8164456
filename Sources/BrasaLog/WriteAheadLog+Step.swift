import BrasaMeasures
import BrasaPlatform
import Synchronization

extension WriteAheadLog {
    /// Writes and syncs one group and completes its waiters. False when nothing was queued, or it found no room. The log thread's body;
    /// a simulation calls it itself.
    package func step() -> Bool {
        guard let files = self.files else { return false }
        return files.writer.withLock { writing in
            if writing.isClosed || !self.refill(&writing) { return false }
            let group = self.nextGroup(writing)
            do throws(LogError) {
                try self.write(group, &writing, files)
            } catch {
                if error.code == .diskFull {
                    // Nothing of the group is there. It stays the next one.
                    self.noteDiskFull(error, roomBytes: writing.segment.roomBytes)
                } else {
                    self.fail(error, &writing)
                }
                return false
            }
            self.finish(group, &writing)
            return true
        }
    }

    /// Takes over everything queued when what was taken before is done; false when there is nothing to write, or it waits for
    /// room. The two arrays change places, so that neither
    /// is allocated anew.
    private func refill(_ writing: inout LogFiles.Writing) -> Bool {
        if writing.next < writing.taken.count { return self.queue.withLock { $0.stuck != .waits } }
        writing.taken.removeAll(keepingCapacity: true)
        writing.next = 0
        self.queue.withLock { queue in swap(&queue.waiting, &writing.taken) }
        return !writing.taken.isEmpty
    }

    private func nextGroup(_ writing: borrowing LogFiles.Writing) -> Range<Int> {
        var end = writing.next
        var bytes = 0
        while end < writing.taken.count {
            bytes += writing.taken[end].paddedBytes
            if end > writing.next && bytes > self.configuration.groupBytesMax { break }
            end += 1
        }
        return writing.next..<end
    }

    private func write(
        _ group: Range<Int>,
        _ writing: inout LogFiles.Writing,
        _ files: LogFiles
    ) throws(LogError) {
        let records = writing.taken[group]
        guard let time = records.lastRecordTime else { return }
        let previousTime = writing.lastTime
        var hasRotated = false
        let began = self.clock.monotonic()
        let bytes = try writing.segment.write(records, previousTime: previousTime) { header in
            hasRotated = true
            files.note(header)
        }
        self.groups.durations.record((self.clock.monotonic() - began).microseconds)
        self.groups.records.record(records.recordCount)
        self.groups.bytes.record(bytes)
        writing.lastTime = time
        files.writtenBytes.add(bytes, ordering: .relaxed)
        files.wantsSpare.store(writing.segment.wantsSpare && !files.preparer.hasSpare, ordering: .relaxed)
        if hasRotated { self.noteRoom() }
    }

    private func finish(_ group: Range<Int>, _ writing: inout LogFiles.Writing) {
        var (bytes, claimedBytes) = (0, 0)
        var time: Int64?
        var completions = Completions<Result<Void, LogError>>()
        for index in group {
            bytes += writing.taken[index].queuedBytes
            claimedBytes += writing.taken[index].diskBytesMax
            if !writing.taken[index].isBarrier { time = writing.taken[index].time }
            completions.add(writing.taken[index].waiter)
        }
        writing.next = group.upperBound
        // Before the queue says so, since a barrier is then answered at once.
        if let time { self.observer.onDurable(time) }
        let roomBytes = writing.segment.roomBytes
        let isIdle = self.queue.withLock { queue in
            queue.queuedBytes -= bytes
            queue.claimedBytes -= claimedBytes
            queue.roomBytes = roomBytes
            queue.unfinished -= group.count
            if let time { queue.durableTime = time }
            return queue.unfinished == 0
        }
        completions.run(.success(()))
        if isIdle && time != nil {
            do throws(LogError) {
                try writing.segment.writeEndMark()
            } catch {
                self.fail(error, &writing)
            }
        }
    }

    // MARK: Failing

    /// Nothing more is acknowledged than was durable before: what else the disk holds is known only after a restart has
    /// read it.
    private func fail(_ error: LogError, _ writing: inout LogFiles.Writing) {
        self.abandon(error.afterwards, &writing) { self.observer.onFailure(error) }
    }

    /// Answers everything unfinished, and whatever comes, with `refusal`. `announce` is called before anybody hears.
    private func abandon(_ refusal: LogError, _ writing: inout LogFiles.Writing, announce: () -> Void = {}) {
        var unfinished = writing.taken[writing.next...]
        writing.taken.removeAll()
        writing.next = 0
        writing.isClosed = true
        let durableTime = self.queue.withLock { queue in
            queue.refusal = refusal
            queue.queuedBytes = 0
            queue.claimedBytes = 0
            queue.unfinished = 0
            unfinished += queue.waiting
            queue.waiting.removeAll()
            return queue.durableTime
        }
        var (reached, failed) = (Completions<Result<Void, LogError>>(), Completions<Result<Void, LogError>>())
        for record in unfinished {
            // A barrier may stand far behind what it waits for.
            if record.isBarrier && record.time <= durableTime {
                reached.add(record.waiter)
            } else {
                failed.add(record.waiter)
            }
        }
        announce()
        reached.run(.success(()))
        failed.run(.failure(refusal))
    }

    /// The last step of `stop`.
    func close() {
        guard let files = self.files else { return }
        files.writer.withLock { writing in
            if !writing.isClosed {
                writing.isClosed = true
                // What a full disk kept from being written never will be: nothing of it is there.
                if writing.next < writing.taken.count {
                    self.abandon(LogError(.closed, detail: "the disk was full until the log was closed"), &writing)
                }
                // Everything acknowledged is durable already, as its mode promises; a restart finds out the rest.
                do throws(LogError) {
                    try writing.segment.close()
                } catch {
                    self.observer.onFailure(error)
                }
            }
        }
        files.preparer.discard()
        files.lock.release()
    }
}
