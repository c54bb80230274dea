# Installs Sentinel's programs from a release, after their digests are checked.
#
# usage: install.ps1 [-Version 1.2.3] [-Dir FOLDER] [-From URL|FOLDER]
#
#   -Version   the release; the newest unless given
#   -Dir       where the programs go; %LOCALAPPDATA%\Programs\sentinel unless given
#   -From      where the archive and checksums.txt are, for a mirror; needs -Version
param([string]$Version, [string]$Dir, [string]$From)
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

$releases = 'https://github.com/agentsentinel/sentinel/releases'
if (-not $Dir) { $Dir = Join-Path $env:LOCALAPPDATA 'Programs\sentinel' }
$arch = switch ($env:PROCESSOR_ARCHITECTURE) {
  'AMD64' { 'amd64' }
  'ARM64' { 'arm64' }
  default { throw "There is no release for $env:PROCESSOR_ARCHITECTURE." }
}

function Get-Part([string]$Name, [string]$To) {
  if ($From -match '^https://' -or $From -match '^http://(127\.0\.0\.1|localhost)[:/]') {
    Invoke-WebRequest -UseBasicParsing -TimeoutSec 300 -Uri "$From/$Name" -OutFile $To
  } elseif ($From -match '^http://') {
    throw "${From}: a mirror needs https."
  } else {
    Copy-Item -LiteralPath (Join-Path $From $Name) -Destination $To
  }
}

if (-not $Version) {
  if ($From) { throw '-From needs -Version.' }
  $newest = Invoke-RestMethod -UseBasicParsing -TimeoutSec 60 -Uri 'https://api.github.com/repos/agentsentinel/sentinel/releases/latest'
  $Version = $newest.tag_name
}
$Version = $Version -replace '^v', ''
if ($Version -notmatch '^[0-9][0-9A-Za-z.-]*$') { throw "`"$Version`" is no version: it is like 1.2.3." }
if (-not $From) { $From = "$releases/download/v$Version" }

$work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $work | Out-Null
try {
  $archive = "sentinel_${Version}_windows_$arch.zip"
  Get-Part 'checksums.txt' (Join-Path $work 'checksums.txt')
  Get-Part $archive (Join-Path $work $archive)
  $wanted = Get-Content (Join-Path $work 'checksums.txt') | ForEach-Object {
    $digest, $name = $_ -split '\s+\*?', 2
    if ($name -ceq $archive) { $digest }
  }
  if (-not $wanted) { throw "checksums.txt has no line for $archive. Nothing was installed." }
  $found = (Get-FileHash -Algorithm SHA256 -LiteralPath (Join-Path $work $archive)).Hash
  if ($found -ne $wanted) { throw "$archive has the digest $found, and checksums.txt says $wanted. Nothing was installed." }

  Expand-Archive -LiteralPath (Join-Path $work $archive) -DestinationPath (Join-Path $work 'x')
  & (Join-Path $work 'x\sentinel.exe') version | Out-Null
  if ($LASTEXITCODE -ne 0) { throw 'The program does not start on this machine. Nothing was installed.' }
  New-Item -ItemType Directory -Force -Path $Dir | Out-Null
  foreach ($program in 'sentinel-audit.exe', 'sentinel-watch.exe', 'sentinel.exe') {
    $to = Join-Path $Dir $program
    # A program that runs can be renamed, but not replaced. The new one lies beside it first:
    # between the two renames, and only there, an interruption leaves no program of this name.
    Copy-Item -LiteralPath (Join-Path $work "x\$program") -Destination "$to.new" -Force
    Remove-Item -LiteralPath "$to.old" -Force -ErrorAction SilentlyContinue
    if (Test-Path -LiteralPath $to) { Move-Item -LiteralPath $to -Destination "$to.old" }
    try { Move-Item -LiteralPath "$to.new" -Destination $to }
    catch { if (Test-Path -LiteralPath "$to.old") { Move-Item -LiteralPath "$to.old" -Destination $to }; throw }
    Remove-Item -LiteralPath "$to.old" -Force -ErrorAction SilentlyContinue
  }
} finally {
  Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
}

Write-Output "Sentinel $Version is in $Dir."
$first = Get-Command sentinel -ErrorAction SilentlyContinue
if (-not $first) {
  Write-Output "$Dir is not on your PATH. Add it, or call $(Join-Path $Dir 'sentinel.exe'): the hook gets the full path then."
} elseif ($first.Source -ne (Join-Path $Dir 'sentinel.exe')) {
  Write-Output "Note: `"sentinel`" on your PATH is $($first.Source). Remove it, or put $Dir before it."
}
Write-Output 'Next: run "sentinel init" in a repository.'
