internal import BrasaDocuments

extension RemoteStore {
    private var wantsWrites: Bool {
        self.canUseNetwork && !self.writes.lifecycle.isStarted && !self.pipeline.isEmpty
    }

    /// Takes batches out of the queue as long as there is room.
    func fillPipeline() {
        while self.canUseNetwork, self.pipeline.count < Self.pipelineMax {
            do throws(StorageError) {
                guard let batch = try self.local.nextBatch(after: self.pipeline.last?.id ?? 0) else {
                    if self.pipeline.isEmpty { self.writes.lifecycle.markIdle() }
                    break
                }
                self.pipeline.append(batch)
                if self.writes.lifecycle.isOpen, self.writes.isReady { self.writes.send(batch.writes) }
            } catch {
                self.awaitStorage()
            }
        }
        if self.wantsWrites { self.writes.lifecycle.start() }
    }

    // MARK: - What the stream says

    func writesReady() {
        for batch in self.pipeline { self.writes.send(batch.writes) }
    }

    /// Answers come in the order of the batches.
    func writeReceived(_ message: WriteMessage) {
        guard let batch = self.pipeline.first, let commitTime = message.commitTime, commitTime != .zero,
            let acknowledgement = Acknowledgement(batch, commitTime: commitTime, results: message.results)
        else {
            self.writes.lifecycle.failed(SyncError(.internal, "The server's answer does not fit what was written."))
            return
        }
        self.pipeline.removeFirst()
        self.writes.lifecycle.noteProgress()
        self.whenStorageWorks { [unowned self] () throws(StorageError) in
            try self.syncer.acknowledge(acknowledgement)
        }
        self.fillPipeline()
    }

    func writesEnded(_ error: SyncError?) {
        if let error, self.writes.isReady, let batch = self.pipeline.first, error.code.isPermanentForWrites {
            self.pipeline.removeFirst()
            // It was the batch that failed, not the connection.
            self.writes.lifecycle.inhibitBackoff()
            self.whenStorageWorks { [unowned self] () throws(StorageError) in
                try self.syncer.rejectWrite(batch.id, error)
            }
            self.fillPipeline()
        }
        if self.wantsWrites { self.writes.lifecycle.start() }
    }
}
