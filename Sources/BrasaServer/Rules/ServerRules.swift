import BrasaPlatform
import BrasaService
import BrasaTreeJudging
import Logging
import NIOCore

/// The rules of a server, and where they come from.
struct ServerRules: Sendable {
    private static let lookInterval: Duration = .seconds(1)

    let book: RuleBook
    let trees: TreeRuleBook
    private let files: [RuleFile]
    private let deployed: DeployedRules

    /// - Throws: `StartError` when the file of `--rules` or `--tree-rules`, or what was deployed, cannot be used: a server
    ///   that forgot rules would judge by wrong ones, or let in everybody.
    static func start(
        _ configuration: ServerConfiguration,
        on address: SocketAddress,
        logger: Logger
    ) throws(StartError) -> ServerRules {
        let book = RuleBook(explainsDenials: configuration.emulator && address.isLoopback)
        let trees = TreeRuleBook()
        let file = configuration.rulesFile.map { RuleFile($0, book: book) }
        let treeFile = configuration.treeRulesFile.map { RuleFile($0, book: trees) }
        let store = RuleDeploymentStore(disk: RealDisk(), dataDirectory: configuration.dataDirectory)
        let rules = ServerRules(
            book: book,
            trees: trees,
            files: [file, treeFile].compactMap(\.self),
            deployed: DeployedRules(store, book: book)
        )
        if let file { try Self.start(file.reload(), "--rules", logger) }
        if let treeFile { try Self.start(treeFile.reload(), "--tree-rules", logger) }
        try Self.start(rules.deployed.reload(), "brasa rules", logger)
        if file != nil, book.edition.coversFile {
            logger.warning("the file of --rules is not used: rules were deployed for all databases (brasa rules show)")
        }
        return rules
    }

    private static func start(_ outcome: RuleReload, _ source: String, _ logger: Logger) throws(StartError) {
        switch outcome {
        case .failed(let failure): throw StartError("\(source): \(failure)")
        case .changed(let warnings): RuleReload.tell(warnings, logger)
        case .unchanged: break
        }
    }

    /// Until the task is cancelled.
    func run(_ logger: Logger) async {
        while (try? await Task.sleep(for: Self.lookInterval)) != nil { self.reload(logger) }
    }

    func reload(_ logger: Logger) {
        for file in self.files { file.reload().tell(file.path, logger) }
        self.deployed.reload().tell("brasa rules", logger)
    }
}
