internal import BrasaSync

/// How far the loading of a bundle has come.
public enum LoadBundleTaskState: Int, Sendable {
    case error = 0
    case inProgress = 1
    case success = 2
}

/// One step of a ``LoadBundleTask``.
public final class LoadBundleTaskProgress: Sendable {
    public let documentsLoaded: Int
    public let totalDocuments: Int
    public let bytesLoaded: Int
    public let totalBytes: Int
    public let state: LoadBundleTaskState

    /// Nil: nothing is known of the bundle.
    init(_ progress: BundleProgress?, _ state: LoadBundleTaskState) {
        self.documentsLoaded = Int(clamping: progress?.documentsLoaded ?? 0)
        self.totalDocuments = Int(clamping: progress?.documentsTotal ?? 0)
        self.bytesLoaded = Int(clamping: progress?.bytesLoaded ?? 0)
        self.totalBytes = Int(clamping: progress?.bytesTotal ?? 0)
        self.state = state
    }
}

extension LoadBundleTaskProgress: Hashable, CustomStringConvertible {
    private var parts: [Int] {
        [self.documentsLoaded, self.totalDocuments, self.bytesLoaded, self.totalBytes, self.state.rawValue]
    }

    public static func == (left: LoadBundleTaskProgress, right: LoadBundleTaskProgress) -> Bool {
        left.parts == right.parts
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.parts)
    }

    public var description: String {
        "<LoadBundleTaskProgress: \(self.state), \(self.documentsLoaded) of \(self.totalDocuments) documents>"
    }
}
