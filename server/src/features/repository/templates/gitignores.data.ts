/** Files that git should leave alone, by what a project is made with. */

const lines = (text: string) => `${text.trim().split(/\s+/).join('\n')}\n`;

const node =
  'node_modules/ npm-debug.log* yarn-debug.log* yarn-error.log* .npm/ .eslintcache *.tsbuildinfo coverage/ .env .env.*.local dist/';
const java = '*.class *.jar *.war *.ear hs_err_pid* replay_pid*';
const native = '*.o *.obj *.a *.lib *.so *.so.* *.dylib *.dll *.exe *.out *.d *.gch *.pch *.dSYM/';
const ruby = '*.gem .bundle/ vendor/bundle/ coverage/ pkg/ tmp/ .rspec_status .byebug_history';

/** By name. */
export const gitignores: Readonly<Record<string, string>> = {
  Android: lines(
    `${java} *.apk *.aab *.dex bin/ gen/ out/ build/ .gradle/ local.properties .cxx/ captures/ *.jks *.keystore .externalNativeBuild/`,
  ),
  Ansible: lines('*.retry .vault_pass'),
  C: lines(native),
  'C++': lines(`${native} *.slo *.lo *.la *.mod`),
  CMake: lines(
    'CMakeLists.txt.user CMakeCache.txt CMakeFiles/ CMakeScripts/ Testing/ Makefile cmake_install.cmake install_manifest.txt compile_commands.json CTestTestfile.cmake _deps/ build/',
  ),
  Composer: lines('composer.phar vendor/'),
  Dart: lines('.dart_tool/ .packages build/ pubspec.lock doc/api/ .flutter-plugins .flutter-plugins-dependencies'),
  Elixir: lines('_build/ cover/ deps/ doc/ .fetch erl_crash.dump *.ez *.beam .elixir_ls/'),
  Emacs: lines('*~ \\#*\\# .\\#* *.elc auto-save-list/ tramp .org-id-locations'),
  Erlang: lines('.eunit/ *.beam *.plt erl_crash.dump _build/ .rebar/ rebar3.crashdump ebin/ deps/ logs/'),
  Go: lines('*.exe *.exe~ *.dll *.so *.dylib *.test *.out coverage.* go.work go.work.sum .env'),
  Gradle: lines('.gradle/ build/ !gradle/wrapper/gradle-wrapper.jar .gradletasknamecache'),
  Haskell: lines(
    'dist/ dist-newstyle/ cabal-dev/ *.o *.hi *.hie *.chi *.chs.h *.dyn_o *.dyn_hi .hpc/ .stack-work/ cabal.project.local .HTF/',
  ),
  Java: lines(`${java} *.log *.ctxt target/ build/`),
  JetBrains: lines('.idea/ *.iml *.iws *.ipr out/ cmake-build-*/'),
  Julia: lines('*.jl.cov *.jl.*.cov *.jl.mem deps/deps.jl deps/build.log docs/build/ docs/site/ Manifest.toml'),
  Kotlin: lines(`${java} .kotlin/ build/ *.log`),
  Laravel: lines(
    'vendor/ node_modules/ public/hot public/storage public/build storage/*.key .env .env.backup Homestead.json Homestead.yaml .phpunit.result.cache',
  ),
  Linux: lines('*~ .fuse_hidden* .directory .Trash-* .nfs*'),
  Lua: lines('luac.out *.src.rock *.tar.gz *.o *.so *.dll lua_modules/ .luarocks/'),
  macOS: lines('.DS_Store .AppleDouble .LSOverride ._* .Spotlight-V100 .Trashes .fseventsd .TemporaryItems .apdisk'),
  Maven: lines(
    'target/ pom.xml.tag pom.xml.releaseBackup pom.xml.versionsBackup pom.xml.next release.properties dependency-reduced-pom.xml buildNumber.properties .mvn/timing.properties',
  ),
  Nix: lines('result result-* .direnv/'),
  Node: lines(node),
  OCaml: lines(
    '*.annot *.cmo *.cma *.cmi *.cmt *.cmti *.cmx *.cmxa *.cmxs *.a *.o _build/ _opam/ *.native *.byte setup.data setup.log',
  ),
  Perl: lines(
    'blib/ .build/ _build/ cover_db/ inc/ Build Build.bat MYMETA.* META.json META.yml Makefile Makefile.old pm_to_blib *.bs *.o nytprof.out local/',
  ),
  Python: lines(
    '__pycache__/ *.py[cod] *.so .Python build/ dist/ eggs/ *.egg *.egg-info/ wheels/ pip-log.txt .tox/ .nox/ .coverage .coverage.* htmlcov/ .pytest_cache/ .hypothesis/ .mypy_cache/ .ruff_cache/ .ipynb_checkpoints .env .venv/ venv/ env/',
  ),
  R: lines(
    '.Rhistory .Rapp.history .RData .RDataTmp .Ruserdata .Rproj.user/ *-Ex.R *.Rcheck/ .httr-oauth *_cache/ .Renviron',
  ),
  Rails: lines(
    `${ruby} log/*.log tmp/* db/*.sqlite3 db/*.sqlite3-* public/assets/ public/packs/ storage/* config/master.key config/credentials/*.key node_modules/ .env`,
  ),
  Ruby: lines(ruby),
  Rust: lines('target/ debug/ *.rs.bk *.pdb mutants.out*/'),
  Scala: lines('*.class *.log target/ project/target/ project/project/ .bsp/ .metals/ .bloop/ metals.sbt'),
  Swift: lines(
    '.build/ .swiftpm/ Packages/ xcuserdata/ *.xcuserstate DerivedData/ *.hmap *.ipa *.dSYM/ Carthage/Build/ Pods/',
  ),
  Terraform: lines(
    '.terraform/ *.tfstate *.tfstate.* crash.log crash.*.log *.tfvars *.tfvars.json override.tf override.tf.json *_override.tf *_override.tf.json .terraformrc terraform.rc',
  ),
  TeX: lines(
    '*.aux *.lof *.log *.lot *.fls *.out *.toc *.fmt *.cb *.bbl *.bcf *.blg *.run.xml *.fdb_latexmk *.synctex *.synctex.gz *.pdfsync *.nav *.snm *.vrb *.idx *.ilg *.ind',
  ),
  Unity: lines(
    '[Ll]ibrary/ [Tt]emp/ [Oo]bj/ [Bb]uild/ [Bb]uilds/ [Ll]ogs/ [Uu]ser[Ss]ettings/ *.pidb *.unityproj *.booproj sysinfo.txt *.apk *.unitypackage crashlytics-build.properties',
  ),
  Vim: lines(
    '[._]*.s[a-v][a-z] [._]*.sw[a-p] [._]s[a-rt-v][a-z] [._]ss[a-gi-z] [._]sw[a-p] Session.vim Sessionx.vim .netrwhist *~ tags [._]*.un~',
  ),
  VisualStudio: lines(
    '*.rsuser *.suo *.user *.userosscache *.sln.docstates [Dd]ebug/ [Rr]elease/ x64/ x86/ [Bb]in/ [Oo]bj/ .vs/ [Tt]est[Rr]esult*/ *.nupkg *.snupkg packages/ *.pdb *.ilk *.log',
  ),
  VisualStudioCode: lines(
    '.vscode/* !.vscode/settings.json !.vscode/tasks.json !.vscode/launch.json !.vscode/extensions.json .history/ *.vsix',
  ),
  Windows: lines(
    'Thumbs.db Thumbs.db:encryptable ehthumbs.db [Dd]esktop.ini $RECYCLE.BIN/ *.cab *.msi *.msix *.msm *.msp *.lnk',
  ),
  Zig: lines('.zig-cache/ zig-cache/ zig-out/ build/ build-*/ docgen_tmp/'),
};
