internal import BrasaDocuments

/// What the remote store tells the engine. What the storage could not do is tried again.
protocol RemoteSyncer: AnyObject {
    func apply(_ event: RemoteEvent) throws(StorageError)
    func rejectListen(_ target: TargetID, _ error: SyncError) throws(StorageError)
    func acknowledge(_ acknowledgement: Acknowledgement) throws(StorageError)
    func rejectWrite(_ id: BatchID, _ error: SyncError) throws(StorageError)
    func changeUser(to user: SyncUser) throws(StorageError)
    func onlineStateChanged(to state: OnlineState)
    /// The network may not be used: what was asked past the streams is not answered.
    func serverUnreachable()
    func remoteKeys(of target: TargetID) -> Set<ResourcePath>
    func isRemoteKey(_ path: ResourcePath, of target: TargetID) -> Bool
}
