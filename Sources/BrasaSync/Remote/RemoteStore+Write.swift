internal import BrasaDocuments
internal import BrasaStatus

extension RemoteStore {
    private var wantsWrites: Bool {
        self.canUseNetwork && !self.writes.lifecycle.isStarted && !self.pipeline.isEmpty
    }

    /// Takes batches out of the queue as long as there is room.
    func fillPipeline() {
        while self.canUseNetwork, self.pipeline.hasRoom {
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
        self.startWrites()
    }

    private func startWrites() {
        guard self.wantsWrites else { return }
        do throws(StorageError) {
            if !self.writes.isPositionKnown { self.writes.setPosition(try self.local.writeStreamPosition()) }
            self.writes.lifecycle.start()
        } catch {
            self.awaitStorage()
        }
    }

    // MARK: - What the stream says

    /// The handshake is answered: what is in the pipeline now was not applied.
    func writesGreeted(_ message: WriteMessage) {
        if self.writes.isGivenUp || message.streamID != self.writes.position?.streamID {
            // Batches that are sent on a stream that the storage does not know could not be asked about, and a stream that is
            // given up must not be found there by the next connection.
            let position = message.streamID.map { WriteStreamPosition(streamID: $0, token: message.streamToken) }
            self.whenStorageWorks { [unowned self] () throws(StorageError) in
                try self.local.setWriteStreamPosition(position)
                self.writes.setPosition(position)
                self.writes.noteStored()
            }
        }
        guard self.canUseNetwork else { return }
        self.writes.begin()
        for batch in self.pipeline { self.writes.send(batch.writes) }
    }

    /// Answers come in the order of the batches.
    func writeReceived(_ message: WriteMessage) {
        let position = self.writes.position(after: message.streamToken)
        guard let batch = self.pipeline.first, let commitTime = message.commitTime, commitTime != .zero,
            let acknowledgement = Acknowledgement(
                batch,
                commitTime: commitTime,
                results: message.results,
                position: position
            )
        else {
            self.writes.giveUpPosition()
            self.writes.lifecycle.failed(SyncError(.internal, "The server's answer does not fit what was written."))
            return
        }
        self.pipeline.removeFirst()
        self.writes.lifecycle.noteProgress()
        self.whenStorageWorks { [unowned self] () throws(StorageError) in
            try self.syncer.acknowledge(acknowledgement)
            self.writes.advance(to: position)
        }
        self.keepAnswers()
        self.fillPipeline()
    }

    /// The server remembers its last answers only. So many must not be forgotten at once by a loss of power here.
    private func keepAnswers() {
        guard self.writes.answersAtRisk >= Self.answersAtRiskMax else { return }
        self.whenStorageWorks { [unowned self] () throws(StorageError) in
            guard let position = self.writes.position else { return }
            try self.local.setWriteStreamPosition(position)
            self.writes.noteStored()
        }
    }

    func writesEnded(_ error: SyncError?) {
        if let error, self.writes.isReady {
            self.batchFailed(error)
        } else if let error, self.writes.isResuming, error.code.isPermanent, error.code != .permissionDenied {
            // The server does not know the stream any more. A missing permission says nothing of that.
            self.writes.giveUpPosition()
            self.writes.lifecycle.inhibitBackoff()
        }
        self.startWrites()
    }

    private func batchFailed(_ error: SyncError) {
        guard let batch = self.pipeline.first, error.code.isPermanentForWrites else { return }
        // The server does not know what became of the batch. It will say when it is asked to go on with the stream.
        if error.code == .dataLoss, self.writes.position != nil { return }
        self.pipeline.removeFirst()
        // It was the batch that failed, not the connection.
        self.writes.lifecycle.inhibitBackoff()
        self.whenStorageWorks { [unowned self] () throws(StorageError) in
            try self.syncer.rejectWrite(batch.id, error)
            // There is none any more.
            self.writes.forgetPosition()
        }
        self.fillPipeline()
    }
}
